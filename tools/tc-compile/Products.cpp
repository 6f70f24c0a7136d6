//===- Products.cpp - lists of matmuls --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace tc;
using llvm::StringRef;
using llvm::Twine;

/// As the Python package calls them.
static constexpr OperandType kTypes[] = {
    {"f32", "f32", "", 0},
    {"f16", "f16", "", 0},
    {"bf16", "bf16", "", 0},
    {"e4m3", "f8E4M3FN", "", 0},
    {"e5m2", "f8E5M2", "", 0},
    {"e3m2", "f6E3M2FN", "", 0},
    {"e2m3", "f6E2M3FN", "", 0},
    {"e2m1", "f4E2M1FN", "", 0},
    {"i8", "i8", "", 0},
    {"u8", "ui8", "", 0},
    {"i32", "i32", "", 0},
    {"mxfp8", "f8E4M3FN", "f8E8M0FNU", 32},
    {"mxfp8_e5m2", "f8E5M2", "f8E8M0FNU", 32},
    {"mxfp4", "f4E2M1FN", "f8E8M0FNU", 32},
    {"nvfp4", "f4E2M1FN", "f8E4M3FN", 16},
};

static const OperandType *findType(StringRef name) {
  const auto *found =
      llvm::find_if(kTypes, [&](const auto &it) { return it.name == name; });
  return found == std::end(kTypes) ? nullptr : found;
}

/// Elements of A and B that share a factor with scales=blocks.
static constexpr int64_t kBlock = 128;

static int64_t ceilDiv(int64_t size, int64_t by) {
  return size == kAnySize ? kAnySize : int64_t(llvm::divideCeil(size, by));
}

/// An operand as the text of a memref.
static std::string memrefText(llvm::ArrayRef<int64_t> shape,
                              StringRef element) {
  std::string text = "memref<";
  for (int64_t size : shape)
    text += (size == kAnySize ? "?" : std::to_string(size)) + "x";
  return text + element.str() + ">";
}

std::string Product::getFunction(StringRef name, StringRef config) const {
  using Operand = std::pair<StringRef, std::string>;
  auto matrix = [](bool transposed, int64_t rows, int64_t columns,
                   StringRef element) {
    return transposed ? memrefText({columns, rows}, element)
                      : memrefText({rows, columns}, element);
  };
  auto factors = [&](const OperandType &type, int64_t rows) {
    return memrefText(
        {ceilDiv(rows, 128), ceilDiv(k, 4 * type.block), 32, 4, 4},
        type.factor);
  };
  std::vector<Operand> ins = {{"A", matrix(transposeA, m, k, a->element)},
                              {"B", matrix(transposeB, k, n, b->element)}};
  std::vector<Operand> scales;
  if (hasBlockFactors)
    scales = {
        {"SFA", memrefText({m, ceilDiv(k, kBlock)}, "f32")},
        {"SFB", memrefText({ceilDiv(n, kBlock), ceilDiv(k, kBlock)}, "f32")}};
  else if (a->block)
    scales = {{"SFA", factors(*a, m)}, {"SFB", factors(*b, n)}};
  std::vector<Operand> outs = {{"D", memrefText({m, n}, d->element)}};

  auto group = [](StringRef word, llvm::ArrayRef<Operand> operands) {
    std::string names, types;
    for (const auto &[name, type] : operands) {
      names += (names.empty() ? "%" : ", %") + name.str();
      types += (types.empty() ? "" : ", ") + type;
    }
    return (" " + word + "(" + names + " : " + types + ")").str();
  };
  std::string arguments;
  for (const auto *list : {&ins, &scales, &outs})
    for (const auto &[name, type] : *list)
      arguments += (arguments.empty() ? "%" : ", %") + name.str() + ": " + type;
  return "func.func @" + name.str() + "(" + arguments + ") {\n  tmm.matmul" +
         (transposeA ? " transpose_a" : "") +
         (transposeB ? " transpose_b" : "") +
         (a->element == "f32" ? " allow_tf32" : "") +
         (config.empty() ? "" : " config " + config.str()) + group("ins", ins) +
         (scales.empty() ? "" : group("scales", scales)) + group("outs", outs) +
         "\n  return\n}\n";
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// What is wrong with a word; empty: nothing.
static std::string readSize(StringRef word, const char *name, int64_t &size) {
  size = kAnySize;
  if (word == "?")
    return "";
  if (word.empty() || !llvm::all_of(word, llvm::isDigit) ||
      word.getAsInteger(10, size) || size == 0)
    return (Twine(name) + ": expected a positive number or ?, got '" + word +
            "'")
        .str();
  return "";
}

static std::string readType(StringRef word, const char *name, bool isResult,
                            const OperandType *&type) {
  type = findType(word);
  if (type && !(isResult ? type->block != 0 : type->name == "i32"))
    return "";
  std::string known;
  for (const OperandType &it : kTypes)
    if (!(isResult ? it.block != 0 : it.name == "i32"))
      known += (known.empty() ? "" : ", ") + it.name.str();
  return (Twine(name) + ": expected one of " + known + ", got '" + word + "'")
      .str();
}

/// The name of a product that has none: what the line says.
static std::string nameOf(const Product &product, StringRef layout) {
  auto text = [](int64_t size, const char *name) {
    return size == kAnySize ? std::string(name) : std::to_string(size);
  };
  return text(product.m, "M") + "_" + text(product.n, "N") + "_" +
         text(product.k, "K") + "_" + product.a->name.str() + "_" +
         product.b->name.str() + "_" + product.d->name.str() + "_" +
         layout.str() + (product.hasBlockFactors ? "_blocks" : "");
}

static std::string readFactors(Product &product) {
  if (bool(product.a->block) != bool(product.b->block))
    return ("expected factors of both operands or of none, got " +
            product.a->name + " and " + product.b->name)
        .str();
  if (!product.hasBlockFactors)
    return "";
  for (const OperandType *type : {product.a, product.b})
    if (type->name != "e4m3" && type->name != "e5m2")
      return ("scales=blocks: expected e4m3 or e5m2, got " + type->name).str();
  return "";
}

static std::string readLine(llvm::ArrayRef<StringRef> words, Product &product) {
  if (words.size() < 7)
    return "expected M N K A B D LAYOUT, got " + std::to_string(words.size()) +
           " words";
  const StringRef layout = words[6];
  std::string bad;
  const std::pair<const char *, int64_t *> sizes[] = {
      {"M", &product.m}, {"N", &product.n}, {"K", &product.k}};
  for (auto [i, it] : llvm::enumerate(sizes))
    if (bad.empty())
      bad = readSize(words[i], it.first, *it.second);
  const std::pair<const char *, const OperandType **> types[] = {
      {"A", &product.a}, {"B", &product.b}, {"D", &product.d}};
  for (auto [i, it] : llvm::enumerate(types))
    if (bad.empty())
      bad = readType(words[3 + i], it.first, /*isResult=*/i == 2, *it.second);
  if (!bad.empty())
    return bad;
  if (!llvm::is_contained({"nn", "nt", "tn", "tt"}, layout))
    return ("layout: expected nn, nt, tn or tt, got '" + layout + "'").str();
  product.transposeA = layout[0] == 't';
  product.transposeB = layout[1] == 't';
  for (StringRef word : words.drop_front(7)) {
    StringRef value = word;
    if (value.consume_front("name=") && !value.empty())
      product.name = value.str();
    else if (word == "scales=blocks")
      product.hasBlockFactors = true;
    else
      return ("expected scales=blocks, name=NAME or a comment, got '" + word +
              "'")
          .str();
  }
  if (product.name.empty())
    product.name = nameOf(product, layout);
  return readFactors(product);
}

std::optional<std::vector<Product>>
tc::readProducts(StringRef text, StringRef file, llvm::raw_ostream &errors) {
  std::vector<Product> products;
  llvm::StringMap<unsigned> lines;
  bool isRight = true;
  unsigned number = 0;
  for (StringRef line : llvm::split(text, "\n")) {
    ++number;
    llvm::SmallVector<StringRef> words;
    llvm::SplitString(line.split('#').first, words, " \t\r");
    if (words.empty())
      continue;
    Product product;
    product.line = number;
    std::string bad = readLine(words, product);
    if (bad.empty()) {
      auto [known, isNew] = lines.try_emplace(product.name, number);
      if (!isNew)
        bad = "expected another name than '" + product.name + "', which line " +
              std::to_string(known->second) + " has";
    }
    if (!bad.empty()) {
      errors << file << ":" << number << ": error: " << bad << "\n";
      isRight = false;
    }
    products.push_back(std::move(product));
  }
  if (isRight && products.empty()) {
    errors << file << ": error: expected a product on a line, got none\n";
    isRight = false;
  }
  if (!isRight)
    return std::nullopt;
  return products;
}
