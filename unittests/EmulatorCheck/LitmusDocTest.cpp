//===- LitmusDocTest.cpp - docs/data/litmus.tsv, its pairs ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of sentences names pairs that exist, and every pair of the table
// files is in the row of the section that it cites, with its rule.
//
//===----------------------------------------------------------------------===//

#include "Litmus.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

using namespace tc::emu::test;

namespace {

struct Row {
  std::string section, sentence, pairs;
  /// Empty where `pairs` gives a reason.
  std::vector<std::string> names;
};

/// The rows after the names of the columns; cells are separated by tabs, names
/// of pairs by ", ".
std::vector<Row> readRows() {
  std::ifstream file(TC_TEST_DATA "/../../../docs/data/litmus.tsv");
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "section\tsentence\tpairs");
  while (std::getline(file, line)) {
    std::vector<std::string> columns;
    std::istringstream stream(line);
    for (std::string column; std::getline(stream, column, '\t');)
      columns.push_back(column);
    if (columns.size() != 3) {
      ADD_FAILURE() << "expected 3 columns, got " << columns.size() << ": "
                    << line;
      continue;
    }
    Row row{columns[0], columns[1], columns[2], {}};
    if (row.pairs.rfind("none: ", 0) != 0)
      for (size_t at = 0, end; at < row.pairs.size(); at = end + 2) {
        end = std::min(row.pairs.find(", ", at), row.pairs.size());
        row.names.push_back(row.pairs.substr(at, end - at));
      }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Without parameters, variant and policy.
std::string kernelOf(const std::string &name) {
  return name.substr(0, name.find_first_of("/:@"));
}

/// What a pair cites; empty for pairs in C++.
struct Citation {
  std::string section, rule;
};

/// By kernel.
std::map<std::string, Citation> kernels() {
  std::map<std::string, Citation> all;
  for (auto part : {genericLitmus(), asyncLitmus(), tensorLitmus(),
                    lifetimeLitmus(), restrictedLitmus(), tableLitmus()})
    for (const Litmus &litmus : part)
      all[kernelOf(litmus.name)] = {litmus.section, litmus.rule};
  return all;
}

std::set<std::string> tests() {
  std::set<std::string> all;
  const auto &unit = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < unit.total_test_suite_count(); ++i) {
    const auto &suite = *unit.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j)
      all.insert(std::string(suite.name()) + "." +
                 suite.GetTestInfo(j)->name());
  }
  return all;
}

TEST(LitmusDoc, rows_name_pairs_that_exist_or_a_reason) {
  const std::vector<Row> rows = readRows();
  EXPECT_GE(rows.size(), 100u);
  const auto known = kernels();
  const std::set<std::string> others = tests();
  for (const Row &row : rows) {
    EXPECT_FALSE(row.section.empty() || row.sentence.empty()) << row.pairs;
    if (row.names.empty())
      EXPECT_EQ(row.pairs.rfind("none: ", 0), 0u)
          << row.section << ": " << row.sentence;
    for (const std::string &name : row.names)
      EXPECT_TRUE(known.count(name) || others.count(name))
          << row.section << ": " << name;
  }
}

TEST(LitmusDoc, every_pair_is_in_the_row_of_its_section_and_rule) {
  std::set<std::tuple<std::string, std::string, std::string>> cited;
  for (const Row &row : readRows())
    for (const std::string &name : row.names)
      cited.emplace(name, row.section, row.sentence);
  for (const auto &[kernel, citation] : kernels())
    if (!citation.section.empty())
      EXPECT_TRUE(cited.count({kernel, citation.section, citation.rule}))
          << kernel << ": expected a row of '" << citation.section
          << "' with the sentence '" << citation.rule << "'";
}

} // namespace
