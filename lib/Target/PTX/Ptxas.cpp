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
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tc;

std::string tc::getNamedPtxas(StringRef option) {
  return option.empty() ? llvm::sys::Process::GetEnv("TC_PTXAS").value_or("")
                        : option.str();
}

std::optional<std::string> tc::lookUpPtxas(StringRef path, StringRef cudaHome) {
  if (!path.empty())
    return llvm::sys::fs::can_execute(path) ? std::optional(path.str())
                                            : std::nullopt;
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  SmallString<128> inHome(cudaHome);
  llvm::sys::path::append(inHome, "bin", "ptxas");
  if (!cudaHome.empty() && llvm::sys::fs::can_execute(inHome))
    return std::string(inHome);
  return std::nullopt;
}

FailureOr<std::string> tc::findPtxas(StringRef path, StringRef cudaHome,
                                     EmitError emitError) {
  if (std::optional<std::string> found = lookUpPtxas(path, cudaHome))
    return *found;
  if (!path.empty())
    return emitError() << "ptxas: expected a program, got '" << path << "'";
  return emitError() << "ptxas not found: a cubin needs NVIDIA's assembler on "
                        "PATH, in CUDA_HOME/bin or named by --ptxas or "
                        "TC_PTXAS";
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

/// What the program prints that runs with `arguments`; nothing where it fails.
static std::optional<std::string> run(StringRef program,
                                      ArrayRef<StringRef> arguments) {
  SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("tc", "log", path))
    return std::nullopt;
  llvm::FileRemover remover(path);
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(path),
                                          StringRef(path)};
  if (llvm::sys::ExecuteAndWait(program, arguments, std::nullopt, redirects))
    return std::nullopt;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? std::optional((*buffer)->getBuffer().str()) : std::nullopt;
}

std::optional<unsigned> tc::getPtxasRelease(StringRef ptxas) {
  std::optional<std::string> text = run(ptxas, {ptxas, "--version"});
  if (!text)
    return std::nullopt;
  // "Cuda compilation tools, release 13.0, V13.0.88"
  StringRef release = StringRef(*text).split("release ").second;
  unsigned major, minor;
  if (release.consumeInteger(10, major) || !release.consume_front(".") ||
      release.consumeInteger(10, minor))
    return std::nullopt;
  return 10 * major + minor;
}

unsigned tc::getPtxVersionOfRelease(unsigned release) {
  // 12.5 and 12.6 have the same one, 8.5.
  if (release >= 130)
    return 90 + (release - 130);
  return release >= 126 ? release - 41 : release - 40;
}

/// Says where `ptxas` is too old for `ptx`.
static std::string explainRelease(StringRef ptx, StringRef ptxas) {
  StringRef version = ptx.split(".version ").second;
  unsigned major, minor;
  std::optional<unsigned> release = getPtxasRelease(ptxas);
  if (!release || version.consumeInteger(10, major) ||
      !version.consume_front(".") || version.consumeInteger(10, minor) ||
      10 * major + minor <= getPtxVersionOfRelease(*release))
    return "";
  const unsigned latest = getPtxVersionOfRelease(*release);
  return ": the text is PTX " + std::to_string(major) + "." +
         std::to_string(minor) + ", ptxas of CUDA " +
         std::to_string(*release / 10) + "." + std::to_string(*release % 10) +
         " takes versions up to " + std::to_string(latest / 10) + "." +
         std::to_string(latest % 10) +
         "; name a later one with --ptxas or TC_PTXAS";
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
    diag << "'" << ptxas << "' failed" << explainRelease(ptx, ptxas);
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
