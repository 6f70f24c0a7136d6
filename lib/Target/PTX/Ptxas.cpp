//===- Ptxas.cpp - PTX to cubin ---------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX goes to ptxas and the cubin comes back through temporary files, which
// are removed on every path; the report of `ptxas -v` is parsed for registers
// and spills.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/PTX/Ptxas.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tc;

FailureOr<std::string> tc::findPtxas(StringRef path, StringRef cudaHome,
                                     EmitError emitError) {
  if (!path.empty()) {
    if (llvm::sys::fs::can_execute(path))
      return path.str();
    return emitError() << "ptxas: expected a program, got '" << path << "'";
  }
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  SmallString<128> inHome(cudaHome);
  llvm::sys::path::append(inHome, "bin", "ptxas");
  if (!cudaHome.empty() && llvm::sys::fs::can_execute(inHome))
    return std::string(inHome);
  return emitError() << "ptxas not found: a cubin needs NVIDIA's assembler on "
                        "PATH, in CUDA_HOME/bin or named by --ptxas";
}

namespace {

/// A file that is removed with the object.
class TemporaryFile {
public:
  TemporaryFile(StringRef suffix, EmitError emitError) {
    if (std::error_code error =
            llvm::sys::fs::createTemporaryFile("tc", suffix, path))
      emitError() << "cannot create a temporary file: " << error.message();
  }
  ~TemporaryFile() {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  explicit operator bool() const { return !path.empty(); }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

  SmallString<128> path;
};

} // namespace

std::string tc::describeLoss(const KernelResources &kernel) {
  std::string loss;
  if (kernel.spillStores || kernel.spillLoads)
    loss = "kernel '" + kernel.name +
           "' spills registers: " + std::to_string(kernel.spillStores) +
           " bytes stored, " + std::to_string(kernel.spillLoads) +
           " bytes loaded";
  if (kernel.serializesWgmma)
    loss += (loss.empty() ? "kernel '" + kernel.name + "'" : " and") +
            " waits for each wgmma before the next: ptxas serialises them";
  return loss;
}

SmallVector<KernelResources> tc::parseResourceUsage(StringRef log) {
  SmallVector<KernelResources> kernels;
  SmallVector<StringRef> lines, serialized;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    StringRef rest = line;
    size_t start = rest.find("Compiling entry function '");
    if (start != StringRef::npos) {
      rest = rest.substr(start).split('\'').second;
      kernels.emplace_back().name = rest.split('\'').first.str();
      continue;
    }
    // "(C7514) Potential Performance Loss: wgmma.mma_async instructions are
    // serialized due to ... in the function 'f'", before the other lines of f.
    if (line.contains("wgmma.mma_async instructions are serialized")) {
      serialized.push_back(line.rsplit("function '").second.split('\'').first);
      continue;
    }
    if (kernels.empty())
      continue;
    // "0 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads" and
    // "Used 38 registers, used 1 barriers, ...".
    SmallVector<StringRef> words;
    llvm::SplitString(line, words, " ,");
    for (size_t i = 0; i + 1 < words.size(); ++i) {
      unsigned value;
      if (words[i].getAsInteger(10, value))
        continue;
      StringRef next = words[i + 1];
      StringRef what = i + 3 < words.size() ? words[i + 3] : "";
      KernelResources &kernel = kernels.back();
      if (next == "registers")
        kernel.registers = value;
      else if (next == "bytes" && what == "frame")
        kernel.stackFrame = value;
      else if (next == "bytes" && what == "stores")
        kernel.spillStores = value;
      else if (next == "bytes" && what == "loads")
        kernel.spillLoads = value;
    }
  }
  for (KernelResources &kernel : kernels)
    kernel.serializesWgmma = llvm::is_contained(serialized, kernel.name);
  return kernels;
}

FailureOr<Cubin> tc::assemblePTX(StringRef ptx, StringRef chip, StringRef ptxas,
                                 EmitError emitError) {
  TemporaryFile input("ptx", emitError);
  TemporaryFile output("cubin", emitError);
  TemporaryFile log("log", emitError);
  if (!input || !output || !log)
    return failure();
  std::error_code error;
  {
    llvm::raw_fd_ostream os(input.path, error);
    if (!error) {
      os << ptx;
      os.close();
      error = os.error();
      os.clear_error();
    }
  }
  if (error)
    return emitError() << "cannot write '" << input.path
                       << "': " << error.message();

  std::string arch = ("-arch=" + chip).str();
  SmallVector<StringRef> arguments = {ptxas,      arch, "-v",
                                      input.path, "-o", output.path};
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(log.path),
                                          StringRef(log.path)};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt,
                                         redirects, /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &message);
  std::string text = log.read();
  if (status != 0) {
    InFlightDiagnostic diag = emitError();
    diag << "'" << ptxas << "' failed";
    if (!message.empty())
      diag << ": " << message;
    if (!text.empty())
      diag << ":\n" << StringRef(text).rtrim();
    return failure();
  }
  Cubin cubin;
  cubin.binary = output.read();
  if (!StringRef(cubin.binary)
           .starts_with("\x7f"
                        "ELF"))
    return emitError() << "'" << ptxas << "' wrote no cubin";
  cubin.kernels = parseResourceUsage(text);
  return cubin;
}
