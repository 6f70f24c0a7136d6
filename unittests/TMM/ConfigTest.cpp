//===- ConfigTest.cpp - every field of a configuration ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerates the combinations of the fields of each part from the table of
// fields, so that a new field is tested when it is added: text and back,
// verification, and --explain.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/Configure/Machine.h"
#include "tc/Dialect/TMM/IR/MatrixUnit.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Passes.h"
#include "tc/Kernels/Matmul.h"
#include "tc/Schedule/MatmulModel.h"
#include "tc/Units/Units.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace mlir;
using namespace tc;
using namespace tc::schedule;
using tc::tmm::ConfigAttr;

/// Values of `field`, each legal alone: all where there are few.
static std::vector<FieldValue> getValues(const ConfigField &field,
                                         const UnitRegistry &units) {
  switch (field.kind) {
  case FieldKind::Extents:
    if (field.count == 3)
      return {{128, 64, 64}, {256, 256, 128}};
    return {FieldValue(field.count, 1), {2, 1}, {4, 2}, {3, 1}};
  case FieldKind::Count:
    return {{field.least}, {field.least + 1}, {64}};
  case FieldKind::OneOf: {
    std::vector<FieldValue> values;
    for (int64_t value : field.values)
      values.push_back({value});
    return values;
  }
  case FieldKind::Swizzle:
    return {{128}, {64}, {32}, {0}};
  case FieldKind::Switch:
    return {{0}, {1}};
  case FieldKind::Unit: {
    std::vector<FieldValue> values;
    for (MatrixUnit unit : units.getUnits())
      values.push_back({unit.getAsOpaqueValue()});
    return values;
  }
  case FieldKind::Enum: {
    std::vector<FieldValue> values;
    for (int64_t i = 0, e = field.getWords().size(); i < e; ++i)
      values.push_back({i});
    return values;
  }
  }
  return {};
}

/// Calls `visit` for every combination of values, and of open fields, of
/// `part`.
static void forEach(const ConfigPart &part, const UnitRegistry &units,
                    llvm::function_ref<void(const MatmulConfig &)> visit,
                    MatmulConfig config = {}, size_t next = 0) {
  if (next == part.fields.size())
    return visit(config);
  forEach(part, units, visit, config, next + 1);
  for (const FieldValue &value : getValues(part.fields[next], units)) {
    MatmulConfig with = config;
    part.fields[next].set(with, value);
    forEach(part, units, visit, with, next + 1);
  }
}

static bool isSame(const MatmulConfig &a, const MatmulConfig &b) {
  return llvm::all_of(getConfigFields(), [&](const ConfigField &field) {
    return field.get(a) == field.get(b);
  });
}

namespace {
class ConfigTest : public testing::Test {
protected:
  ConfigTest() {
    DialectRegistry registry;
    tmm::registerMatmulKernels(registry);
    registerUnits(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<tmm::TMMDialect, func::FuncDialect>();
    context.getDiagEngine().registerHandler([&](Diagnostic &diag) {
      messages += diag.str() + "\n";
      return success();
    });
  }
  std::string print(Attribute attr) {
    std::string text;
    llvm::raw_string_ostream(text) << attr;
    return text;
  }
  MLIRContext context;
  const UnitRegistry &units = MatrixUnits::get(&context).getRegistry();
  std::string messages;
};
} // namespace

TEST_F(ConfigTest, EveryCombinationOfAPartRoundTrips) {
  size_t count = 0;
  for (const ConfigPart &part : getConfigParts())
    forEach(part, units, [&](const MatmulConfig &config) {
      if (findPartError(part.fields.front().part, config))
        return;
      ConfigAttr attr = ConfigAttr::get(&context, config);
      EXPECT_TRUE(isSame(attr.getValues(), config));
      std::string text = print(attr);
      EXPECT_EQ(parseAttribute(text, &context), attr) << text << messages;
      TextError error;
      std::string line = formatConfig(config);
      std::optional<MatmulConfig> parsed = parseConfig(line, units, error);
      ASSERT_TRUE(parsed) << line << ": " << error.message;
      EXPECT_TRUE(isSame(*parsed, config)) << line;
      ++count;
    });
  EXPECT_EQ(messages, "");
  EXPECT_GT(count, 1000u);
}

// What does not go together is refused in text, with the rule's words.
TEST_F(ConfigTest, EveryRuleOfAPartIsVerified) {
  size_t count = 0;
  for (const ConfigPart &part : getConfigParts())
    forEach(part, units, [&](const MatmulConfig &config) {
      std::optional<std::string> error =
          findPartError(part.fields.front().part, config);
      if (!error)
        return;
      std::string text = "#tmm.config<" + part.word.str() + " = <";
      llvm::ListSeparator separator;
      for (const ConfigField &field : part.fields)
        if (FieldValue value = field.get(config); !value.empty())
          text += (StringRef(separator) + field.name + " = " +
                   formatValue(field, value))
                      .str();
      messages.clear();
      EXPECT_FALSE(parseAttribute(text + ">>", &context)) << text;
      EXPECT_NE(messages.find(*error), std::string::npos) << messages;
      ++count;
    });
  EXPECT_GT(count, 10u);
}

// Values that are illegal whatever the others are.
TEST_F(ConfigTest, EveryFieldRefusesWhatItDoesNotTake) {
  for (const ConfigField &field : getConfigFields()) {
    std::string bad = field.kind == FieldKind::Extents
                          ? std::string(field.count == 3 ? "0x1x1" : "0x1")
                      : field.kind == FieldKind::Count
                          ? std::to_string(field.least - 1)
                      : field.kind == FieldKind::OneOf   ? "3"
                      : field.kind == FieldKind::Swizzle ? "16B"
                                                         : "banana";
    std::string text = ("#tmm.config<" + getConfigParts()[field.part].word +
                        " = <" + field.name + " = " + bad + ">>")
                           .str();
    messages.clear();
    EXPECT_FALSE(parseAttribute(text, &context)) << text;
    EXPECT_NE(messages.find("expected"), std::string::npos) << messages;
    TextError error;
    EXPECT_FALSE(parseConfig(spellKey(field.key) + "=" + bad, units, error));
    EXPECT_NE(error.message.find("expected"), std::string::npos)
        << error.message;
    EXPECT_EQ(error.offset, field.key.size() + 1) << error.message;
  }
}

// A context without the families refuses their ops: it would not see them.
TEST(FamilyTest, MissingFamilyIsNamed) {
  MLIRContext context;
  context.loadDialect<tmm::TMMDialect, func::FuncDialect>();
  std::string messages;
  context.getDiagEngine().registerHandler([&](Diagnostic &diag) {
    messages += diag.str() + "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "func.func @f(%a: memref<64x64xbf16>, %d: memref<64x64xbf16>) {\n"
      "tmm.matmul ins(%a, %a : memref<64x64xbf16>, memref<64x64xbf16>)"
      " outs(%d : memref<64x64xbf16>)\nreturn }",
      &context);
  ASSERT_TRUE(module) << messages;
  auto fails = [&](std::unique_ptr<Pass> pass) {
    messages.clear();
    PassManager passes(&context);
    passes.addPass(std::move(pass));
    EXPECT_TRUE(failed(passes.run(*module)));
    EXPECT_EQ(messages,
              "'tmm.matmul' op "
              "expected its family of kernels to be registered, got none"
              "\n");
  };
  fails(tmm::createChooseConfigPass());
  fails(tmm::createTilePass());
}

// A registry with something new is applied as a whole to what is loaded.
TEST(UnitsTest, EachIsRegisteredOnce) {
  MLIRContext context;
  DialectRegistry registry;
  registerUnits(registry);
  context.appendDialectRegistry(registry);
  const size_t count = MatrixUnits::get(&context).getModels().size();
  EXPECT_NE(count, 0u);
  registry.insert<func::FuncDialect>();
  context.appendDialectRegistry(registry);
  EXPECT_EQ(MatrixUnits::get(&context).getModels().size(), count);
}

TEST(UnitsTest, NoneIsKnownWhereNoneIsRegistered) {
  MLIRContext context;
  std::string messages;
  context.getDiagEngine().registerHandler(
      [&](Diagnostic &diag) { messages += diag.str(); });
  auto machine = tmm::getMachine(&context, "sm_100a", MatmulConfig(), [&] {
    return emitError(UnknownLoc::get(&context));
  });
  EXPECT_TRUE(failed(machine));
  EXPECT_EQ(messages, "expected a chip with a known matrix unit and number of "
                      "multiprocessors, got 'sm_100a'");
}

// Combinations that are lowered are in the explanation, field by field; all
// others are refused. Every one of two fields, and a part of the others, or all
// with TC_EVERY_COMBINATION (scripts/nightly): each is compiled twice.
TEST_F(ConfigTest, CombinationsAreExplained) {
  const size_t every = std::getenv("TC_EVERY_COMBINATION") ? 1 : 23;
  size_t count = 0, larger = 0;
  for (const ConfigPart &part : getConfigParts())
    forEach(part, units, [&](const MatmulConfig &config) {
      if (findPartError(part.fields.front().part, config))
        return;
      auto isSet = [&](const ConfigField &field) {
        return !field.get(config).empty();
      };
      if (llvm::count_if(part.fields, isSet) > 2 && larger++ % every != 0)
        return;
      std::string source =
          "func.func @f(%a: memref<512x512xbf16>, %d: memref<512x512xbf16>) {\n"
          "tmm.matmul transpose_b config " +
          print(ConfigAttr::get(&context, config)).substr(11) +
          " ins(%a, %a : memref<512x512xbf16>, memref<512x512xbf16>)"
          " outs(%d : memref<512x512xbf16>)\nreturn }";
      OwningOpRef<ModuleOp> module =
          parseSourceString<ModuleOp>(source, &context);
      ASSERT_TRUE(module) << source << messages;
      messages.clear();
      PassManager passes(&context);
      passes.addPass(tmm::createExplainConfigPass());
      ASSERT_TRUE(succeeded(passes.run(*module)));
      std::string explained = messages;
      messages.clear();
      PassManager choose(&context);
      choose.addPass(tmm::createChooseConfigPass());
      bool isLegal = succeeded(choose.run(*module));
      EXPECT_EQ(isLegal, !explained.empty()) << source << messages;
      for (const ConfigField &field : part.fields)
        if (FieldValue value = field.get(config); isLegal && !value.empty())
          EXPECT_NE(explained.find(" " + spellKey(field.key) + "=" +
                                   spellKey(formatValue(field, value))),
                    std::string::npos)
              << explained;
      messages.clear();
      count += isLegal;
    });
  EXPECT_GT(count, 200u);
}
