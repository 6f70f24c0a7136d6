//===- AsyncInstructions.cpp - compare PTX with its ops ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the asynchronous instructions in PTX text, brings their spelling into
// one form, and compares how often each occurs with how often the nvvm ops
// asked for it.
//
// LLVM may know of a block that it never runs and delete it whole. That is told
// from lost instructions by compiling again, with a mark in each block: what
// has side effects goes only with its block.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/PTX/AsyncInstructions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;

bool tc::isAsyncOpcode(StringRef opcode) {
  for (StringRef family :
       {"tcgen05.", "mbarrier.", "cp.async.", "cp.reduce.async.bulk.",
        "fence.proxy.", "fence.mbarrier_init.", "fence.acquire.sync_restrict",
        "fence.release.sync_restrict", "griddepcontrol.", "wgmma.",
        "clusterlaunchcontrol.try_cancel.", "setmaxnreg.", "createpolicy.",
        "prefetch.", "prefetchu."})
    if (opcode.starts_with(family))
      return true;
  return false;
}

/// Modifiers that say nothing: required by the grammar, or the default. Where
/// only one state space is possible (tcgen05) it says nothing either.
static bool isImplied(StringRef family, StringRef modifier) {
  if (family == "fence")
    return false;
  if (modifier == "shared::cluster")
    return family == "tcgen05";
  return llvm::is_contained({"sync", "aligned", "b32", "b64", "tile", "release",
                             "acquire", "cta", "shared", "shared::cta",
                             "mbarrier::arrive::one", "collector::a::discard",
                             "collector::b0::discard"},
                            modifier);
}

AsyncInstruction tc::canonicalizeAsyncInstruction(StringRef text) {
  SmallVector<StringRef> parts;
  text.trim().split(parts, '.', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  bool isCopy = parts.front() == "cp";

  // The state spaces of a copy stay in their order: the destination is first.
  SmallVector<std::string> modifiers;
  std::string spaces;
  unsigned opcodeParts = std::min<unsigned>(parts.size(), isCopy ? 3 : 2);
  for (StringRef part : ArrayRef(parts).drop_front(opcodeParts)) {
    if (isCopy && (part == "global" || part.starts_with("shared")))
      spaces += (spaces.empty() ? "" : ".") + part.str();
    else if (!isImplied(parts.front(), part))
      modifiers.push_back(part.str());
  }
  if (!spaces.empty())
    modifiers.push_back(spaces);
  llvm::sort(modifiers);

  std::string result = llvm::join(ArrayRef(parts).take_front(opcodeParts), ".");
  for (StringRef modifier : modifiers)
    result += ("." + modifier).str();
  return result;
}

/// Removes // and /* */ comments.
static std::string removeComments(StringRef ptx) {
  std::string text;
  text.reserve(ptx.size());
  for (size_t i = 0; i < ptx.size();) {
    if (ptx.substr(i).starts_with("//")) {
      i = ptx.find('\n', i);
    } else if (ptx.substr(i).starts_with("/*")) {
      size_t end = ptx.find("*/", i + 2);
      i = end == StringRef::npos ? end : end + 2;
    } else {
      text += ptx[i++];
    }
    if (i == StringRef::npos)
      break;
  }
  return text;
}

void tc::appendAsyncInstructions(StringRef ptx,
                                 SmallVectorImpl<AsyncInstruction> &out) {
  std::string text = removeComments(ptx);
  // An opcode starts a statement: after ';', a brace or a line, after an
  // optional label and guard predicate. Operands never start like an opcode
  // of these families, whose names all contain a dot.
  SmallVector<StringRef> words;
  StringRef(text).split(words, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : words) {
    SmallVector<StringRef> tokens;
    llvm::SplitString(line, tokens, " \t\r;{},()[]");
    for (StringRef token : tokens)
      if (isAsyncOpcode(token))
        out.push_back(canonicalizeAsyncInstruction(token));
  }
}

/// The blocks below `root`, by numbers that ops in them do not change.
static DenseMap<Block *, unsigned> numberBlocks(Operation *root) {
  DenseMap<Block *, unsigned> numbers;
  root->walk([&](Block *block) { numbers.try_emplace(block, numbers.size()); });
  return numbers;
}

FailureOr<AsyncCounts> tc::countAsyncInstructions(Operation *root) {
  AsyncCounts counts;
  DenseMap<Block *, unsigned> numbers = numberBlocks(root);
  WalkResult result = root->walk([&](Operation *op) {
    SmallVector<AsyncInstruction> instructions;
    if (failed(appendAsyncInstructions(op, instructions)))
      return WalkResult::interrupt();
    for (AsyncInstruction &instruction : instructions) {
      AsyncCount &entry = counts[instruction];
      entry.blocks.push_back(numbers.lookup(op->getBlock()));
      entry.ops.push_back(op);
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return counts;
}

/// What is before the number of a block in its mark, a comment of PTX.
static constexpr StringLiteral kBlockMark = "// tc.block ";

void tc::markAsyncBlocks(Operation *root, const AsyncCounts &expected) {
  llvm::SmallDenseSet<unsigned> used;
  for (const auto &[instruction, entry] : expected)
    used.insert(entry.blocks.begin(), entry.blocks.end());
  for (auto [block, number] : numberBlocks(root)) {
    if (!used.contains(number))
      continue;
    OpBuilder b = OpBuilder::atBlockBegin(block);
    LLVM::InlineAsmOp::create(
        b, root->getLoc(), TypeRange(), ValueRange(),
        (kBlockMark + Twine(number)).str(), /*constraints=*/"",
        /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::TailCallKind::None, /*asm_dialect=*/LLVM::AsmDialectAttr(),
        /*operand_attrs=*/ArrayAttr());
  }
}

void tc::countMarkedBlocks(AsyncCounts &expected, StringRef ptx) {
  llvm::SmallDenseMap<unsigned, unsigned> marked;
  for (size_t at = ptx.find(kBlockMark); at != StringRef::npos;
       at = ptx.find(kBlockMark, at + 1)) {
    unsigned number;
    StringRef rest = ptx.substr(at + kBlockMark.size());
    if (!rest.consumeInteger(10, number))
      ++marked[number];
  }
  AsyncCounts kept;
  for (auto &[instruction, entry] : expected)
    for (auto [index, block] : llvm::enumerate(entry.blocks))
      for (unsigned copy = 0; copy < marked.lookup(block); ++copy) {
        AsyncCount &left = kept[instruction];
        left.blocks.push_back(block);
        if (!entry.ops.empty())
          left.ops.push_back(entry.ops[index]);
      }
  expected = std::move(kept);
}

/// How often each instruction is in `ptx`.
static std::map<AsyncInstruction, unsigned> countInText(StringRef ptx) {
  SmallVector<AsyncInstruction> found;
  appendAsyncInstructions(ptx, found);
  std::map<AsyncInstruction, unsigned> counts;
  for (const AsyncInstruction &instruction : found)
    ++counts[instruction];
  return counts;
}

bool tc::hasAsyncInstructions(const AsyncCounts &expected, StringRef ptx) {
  std::map<AsyncInstruction, unsigned> counts;
  for (const auto &[instruction, entry] : expected)
    counts[instruction] = entry.blocks.size();
  return counts == countInText(ptx);
}

LogicalResult tc::verifyAsyncInstructions(Operation *root,
                                          const AsyncCounts &expected,
                                          StringRef ptx) {
  std::map<AsyncInstruction, unsigned> counts = countInText(ptx);

  bool same = true;
  auto report = [&](StringRef instruction, unsigned want, unsigned got) {
    same = false;
    InFlightDiagnostic diag =
        root->emitError("asynchronous instructions changed between nvvm and "
                        "PTX: expected ")
        << want << " of '" << instruction << "', got " << got;
    auto it = expected.find(instruction.str());
    if (it == expected.end())
      return;
    for (Operation *op : ArrayRef(it->second.ops).take_front(3))
      diag.attachNote(op->getLoc()) << "from this op";
  };
  for (const auto &[instruction, entry] : expected) {
    auto it = counts.find(instruction);
    unsigned got = it == counts.end() ? 0 : it->second;
    if (got != entry.blocks.size())
      report(instruction, entry.blocks.size(), got);
  }
  for (const auto &[instruction, got] : counts)
    if (!expected.count(instruction))
      report(instruction, 0, got);
  return success(same);
}
