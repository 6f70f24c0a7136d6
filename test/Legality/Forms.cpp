//===- Forms.cpp - instructions as text -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"

#include "tc/Conversion/TCGen05ToNVVM/TCGen05ToNVVM.h"
#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Dialect/TCGen05/Transforms/Passes.h"
#include "tc/Support/DescriptorWords.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <fstream>
#include <vector>

using namespace mlir;

namespace tc::legality {

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

Lowering::Lowering(MLIRContext &context) : context(context), passes(&context) {
  passes.addPass(createConvertTCGen05ToNVVMPass());
  passes.enableVerifier(true);
}

void Lowering::begin() {
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(builder, loc, "lot",
                                       builder.getFunctionType({}, {}));
  body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  func::ReturnOp::create(builder, loc);
  pending = 0;
}

std::string Lowering::add(Operation *op) {
  if (!module)
    begin();
  OpBuilder builder(body->getTerminator());
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand,
                UnrealizedConversionCastOp::create(
                    builder, op->getLoc(), operand.getType(), ValueRange())
                    .getResult(0));
  builder.clone(*op, mapping);
  return ++pending == 2000 ? flush() : "";
}

/// The kind of `op`, an mma of NVVM, as the formats of words are named; null
/// for others.
static const WordFormat *getFormat(Operation *op) {
  std::string name;
  // Forms that NVVM does not have are text.
  if (auto ptx = dyn_cast<LLVM::InlineAsmOp>(op))
    name = ptx.getAsmString()
               .split(".kind::")
               .second.take_while([](char c) { return llvm::isAlnum(c); })
               .str();
  else if (auto kind = op->getAttrOfType<NVVM::Tcgen05MMAKindAttr>("kind"))
    name = stringifyTcgen05MMAKind(kind.getValue());
  else if (auto scaled = op->getAttrOfType<NVVM::MMABlockScaleKindAttr>("kind"))
    name = stringifyMMABlockScaleKind(scaled.getValue());
  else
    return nullptr;
  if (name.empty())
    return nullptr;
  return llvm::find_if(getWordFormats(), [&](const WordFormat &format) {
    return format.name == name;
  });
}

std::string Lowering::flush() {
  if (!module)
    return "";
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = "not lowered: " + diagnostic.str();
    return success();
  });
  unsigned expected = pending, found = 0;
  if (failed(passes.run(*module)))
    message = message.empty() ? "not lowered" : message;
  module->walk([&](Operation *op) {
    const WordFormat *format = getFormat(op);
    if (!format)
      return;
    for (Value operand : op->getOperands()) {
      auto constant = operand.getDefiningOp<LLVM::ConstantOp>();
      if (!constant || !constant.getType().isInteger(32))
        continue;
      auto word = cast<IntegerAttr>(constant.getValue()).getValue();
      if (llvm::all_of(readWord(*format, word.getZExtValue()),
                       [](const WordReading &field) { return field.legal; }))
        ++found;
      else if (message.empty())
        message = "instruction descriptor with an undefined field: " +
                  llvm::utohexstr(word.getZExtValue());
    }
  });
  if (message.empty() && found != expected)
    message = "expected " + std::to_string(expected) +
              " instructions with a legal descriptor, got " +
              std::to_string(found);
  count += found;
  module = {};
  return message;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

namespace {

/// One instruction, and the words by which scripts/legality knows it.
struct Instruction {
  std::string key, text;
};

} // namespace

static std::string getTile(int64_t rows, int64_t columns, StringRef element,
                           unsigned bits) {
  int64_t slab = rows * 1024 / bits;
  return "memref<" + std::to_string(rows) + "x" + std::to_string(columns) +
         "x" + element.str() +
         ", #sm90.smem_layout<k_major, b128, bits = " + std::to_string(bits) +
         ", slab = " + std::to_string(slab) +
         ">, #gpu.address_space<workgroup>>";
}

/// The operation with all its modifiers, N = 64 and M = 128 (256 for a pair).
static void addForms(StringRef op, StringRef kind, int group, bool sparse,
                     bool tmem, bool lookup, std::vector<Instruction> &forms) {
  bool scaled = op == "mma_block_scale", ws = op == "mma_ws";
  bool four = kind == "mxf4" || kind == "mxf4nvf4";
  StringRef element = kind == "f16"    ? "bf16"
                      : kind == "tf32" ? "f32"
                      : kind == "i8"   ? "i8"
                      : kind == "ti16" ? "i16"
                      : four           ? "f4E2M1FN"
                                       : "f8E4M3FN";
  unsigned bits = kind == "f16" || kind == "ti16" ? 16
                  : kind == "tf32"                ? 32
                  : four                          ? 4
                                                  : 8;
  std::string layout = group == 2 ? "A" : "D";
  std::string sum = kind == "i8" || kind == "ti16" ? "i32" : "f32";
  std::string d = "!tcgen05.tmem<128x64x" + sum + ", " + layout + ">";
  std::string a = tmem ? "!tcgen05.tmem<128x" + std::to_string(512 / bits) +
                             "x" + element.str() + ", " + layout +
                             (bits == 32 ? ">" : ", packed>")
                       : getTile(128, 1024 / bits, element, bits);
  std::string b = lookup ? getTile(64 / group, 256, "i3", 4)
                         : getTile(64 / group, 1024 / bits, element, bits);
  std::string table = "!tcgen05.tmem<128x8xf8E4M3FN, " + layout + ", packed>";
  std::string meta =
      "!tcgen05.tmem<128x2xi32, metadata" + std::to_string(bits) + ">";
  auto add = [&](const std::string &modifiers, const std::string &before,
                 const std::string &use, const std::string &attributes,
                 const std::string &plain, const std::string &factor,
                 const std::string &useOfB = "") {
    std::string sf = "!tcgen05.tmem<128x16x" + factor + ", scales, packed>";
    // The operands, from an allocation and from shared memory.
    std::string text;
    auto reserve = [&](StringRef name, const std::string &type) {
      text += "      %" + name.str() + " = tcgen05.reserve : " + type + "\n";
    };
    auto view = [&](StringRef name, int offset, const std::string &type) {
      text += "      %" + name.str() + " = sm90.smem_view %smem[" +
              std::to_string(offset) + "] : !smem to " + type + "\n";
    };
    reserve("d", d);
    tmem ? reserve("a", a) : view("a", 0, a);
    view("b", 32768, b);
    if (sparse)
      reserve("e", meta);
    if (lookup)
      reserve("t", table);
    if (scaled) {
      reserve("sa", sf);
      reserve("sb", sf);
    }
    auto operation = [&](const std::string &collector,
                         const std::string &collectorB,
                         const std::string &attributes) {
      text += "      tcgen05." + op.str() + " " + kind.str();
      text += group == 2 ? " cta_group 2" : "";
      text += " %d, %a, %b";
      text += sparse ? " sparse(%e : " + meta + ")" : "";
      text += lookup ? " lookup(%t : " + table + ")" : "";
      text += scaled ? " scales %sa, %sb" : "";
      text += " accumulate(%p)" + before + " collector " + collector +
              (collectorB.empty() ? "" : " collector_b " + collectorB) + " {" +
              (lookup ? attributes.empty() ? "wide_k" : "wide_k, " : "") +
              attributes + "} : " + d + ", " + a + ", " + b;
      text += scaled ? ", " + sf + ", " + sf + "\n" : "\n";
    };
    // What is used has been filled in.
    auto isRead = [](const std::string &use) {
      return use == "use" || use == "lastuse";
    };
    if (isRead(use) || isRead(useOfB))
      operation(isRead(use) ? "fill" : "discard", isRead(useOfB) ? "fill" : "",
                plain);
    operation(use, useOfB, attributes);
    std::string key = op.str() + " " + kind.str() + " cta" +
                      std::to_string(group) +
                      (sparse   ? " sparse"
                       : lookup ? " lookup"
                                : " dense") +
                      (tmem ? " tmem" : " smem") + modifiers;
    forms.push_back({key, text});
  };
  for (std::string use : {"discard", "lastuse", "fill", "use"}) {
    if (ws) {
      for (int buffer = 0; buffer < 5; ++buffer)
        for (bool mask : {false, true}) {
          std::string number = "buffer = " + std::to_string(buffer) + " : i32";
          add(" b" + std::to_string(buffer) + "::" + use +
                  (mask ? " mask" : ""),
              mask ? " mask(%mask)" : "", use, number, number, "");
        }
      continue;
    }
    if (scaled) {
      for (std::string factor : {"f8E8M0FNU", "f8E4M3FN", "ui8"})
        for (int block : {16, 32})
          for (bool vec : {false, true}) {
            std::string attributes = "scale_block = " + std::to_string(block) +
                                     " : i64" + (vec ? ", scale_vec" : "");
            std::string end = " " + factor + " block" + std::to_string(block) +
                              (vec ? " scale_vec" : "");
            add(" a::" + use + end, "", use, attributes, attributes, factor);
            if (use == "discard" || use == "fill")
              for (std::string useOfB : {"fill", "use", "lastuse"})
                add(" a::" + use + end + " b::" + useOfB, "", use, attributes,
                    attributes, factor, useOfB);
          }
      continue;
    }
    for (bool shift : {false, true})
      for (int lanes : {0, 4, 8})
        for (int scale : {-1, 3, 16}) {
          std::string plain;
          if (scale >= 0)
            plain = "scale_d = " + std::to_string(scale) + " : i32";
          std::string words = std::to_string(lanes);
          add(" a::" + use + (shift ? " ashift" : "") +
                  (lanes ? " disable" + words : "") +
                  (scale >= 0 ? " scale" + std::to_string(scale) : ""),
              lanes ? " disable(%l" + words + " : vector<" + words + "xi32>)"
                    : "",
              use,
              shift ? plain + (plain.empty() ? "ashift" : ", ashift") : plain,
              plain, "");
          if (lanes != 0 || scale == 16)
            continue;
          for (std::string useOfB : {"fill", "use", "lastuse"})
            add(" a::" + use + (shift ? " ashift" : "") +
                    (scale >= 0 ? " scale" + std::to_string(scale) : "") +
                    " b::" + useOfB,
                "", use,
                shift ? plain + (plain.empty() ? "ashift" : ", ashift") : plain,
                plain, "", useOfB);
        }
  }
}

static std::vector<Instruction> getForms() {
  std::vector<Instruction> forms;
  for (StringRef op : {"mma", "mma_block_scale", "mma_ws"})
    for (StringRef kind : {"f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4",
                           "mxf4nvf4", "ti16"})
      for (int group : {1, 2})
        for (bool tmem : {false, true}) {
          for (bool sparse : {false, true})
            addForms(op, kind, group, sparse, tmem, /*lookup=*/false, forms);
          if (op != "mma_ws")
            addForms(op, kind, group, /*sparse=*/false, tmem, /*lookup=*/true,
                     forms);
        }
  return forms;
}

static std::string getFunction(const Instruction &form, size_t index) {
  return "    gpu.func @f" + std::to_string(index) +
         "(%n: i32, %mask: i64) kernel {\n"
         "      %smem = sm90.dynamic_smem align 1024 : !smem\n"
         "      %zero = arith.constant 0 : i32\n"
         "      %p = arith.cmpi ne, %n, %zero : i32\n"
         "      %l4 = vector.broadcast %n : i32 to vector<4xi32>\n"
         "      %l8 = vector.broadcast %n : i32 to vector<8xi32>\n" +
         form.text + "      gpu.return\n    }\n";
}

static std::string getModule(StringRef target, const std::string &functions) {
  return "!smem = memref<65536xi8, #gpu.address_space<workgroup>>\n"
         "gpu.module @kernels [#nvvm.target<chip = \"" +
         target.str() + "\", features = \"+ptx" +
         std::to_string(
             std::max(kLLVMPtxVersion, getTarget(target)->ptxVersion)) +
         "\">] {\n" + functions + "}\n";
}

// FOLDER/forms.txt has a line for each form: its number, key, and the targets
// that it lowers for, or, after a minus, why it does not verify.
int writeForms(MLIRContext &context, const std::string &folder) {
  std::vector<Instruction> forms = getForms();
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  std::ofstream list(folder + "/forms.txt");
  std::vector<std::string> modules;
  for (const TargetFacts &target : getTargets())
    if (target.hasTcgen05)
      modules.push_back("");
  PassManager passes(&context);
  passes.addPass(tcgen05::createAllocateTmemPass());
  passes.addPass(createConvertTCGen05ToNVVMPass());
  for (auto [index, form] : llvm::enumerate(forms)) {
    std::string function = getFunction(form, index);
    message.clear();
    list << index << "\t" << form.key << "\t";
    if (!parseSourceString<ModuleOp>(getModule("sm_100a", function),
                                     ParserConfig(&context))) {
      list << "- " << message << "\n";
      continue;
    }
    size_t at = 0;
    for (const TargetFacts &target : getTargets()) {
      if (!target.hasTcgen05)
        continue;
      // The pass has NVVM's own check, which knows fewer targets, out of the
      // way.
      std::string text = getModule(target.chip, function);
      auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
      if (module && succeeded(passes.run(*module))) {
        list << target.chip.str() << " ";
        modules[at] += function;
      }
      ++at;
    }
    list << "\n";
  }
  size_t at = 0;
  for (const TargetFacts &target : getTargets())
    if (target.hasTcgen05)
      std::ofstream(folder + "/" + target.chip.str() + ".mlir")
          << getModule(target.chip, modules[at++]);
  return 0;
}

} // namespace tc::legality
