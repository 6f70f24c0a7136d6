//===- MatrixUnit.h - the matrix units that there are -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix unit as a value of a configuration, and the units that a compiler
// has. What a unit is says its model (UnitModel.h), which its folder defines
// (lib/Units).
//
//===----------------------------------------------------------------------===//

#ifndef TC_SCHEDULE_MATRIXUNIT_H
#define TC_SCHEDULE_MATRIXUNIT_H

#include "tc/Support/Target.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tc::schedule {

class UnitModel;

/// What multiplies matrices, by the instructions that drive it: a handle of its
/// model, which lives as long as the program.
class MatrixUnit {
public:
  MatrixUnit(const UnitModel &unit) : model(&unit) {}

  const UnitModel *operator->() const { return model; }
  /// Its name, with underscores between words.
  llvm::StringRef getName() const;

  bool operator==(MatrixUnit other) const { return model == other.model; }
  bool operator!=(MatrixUnit other) const { return model != other.model; }
  friend llvm::hash_code hash_value(MatrixUnit unit) {
    return llvm::hash_value(unit.model);
  }

  /// The unit as the number that the table of fields passes around.
  int64_t getAsOpaqueValue() const {
    return static_cast<int64_t>(reinterpret_cast<intptr_t>(model));
  }
  static MatrixUnit getFromOpaqueValue(int64_t value) {
    return *reinterpret_cast<const UnitModel *>(static_cast<intptr_t>(value));
  }

private:
  const UnitModel *model;
};

/// The matrix units that a compiler was built with. There is one list for each
/// context, to which whoever registers a unit adds it.
class UnitRegistry {
public:
  /// Adds a unit after those that are preferred to it where a chip has both.
  void add(MatrixUnit unit) { units.push_back(unit); }

  llvm::ArrayRef<MatrixUnit> getUnits() const { return units; }
  /// The unit called `name`, and all names.
  std::optional<MatrixUnit> find(llvm::StringRef name) const;
  llvm::SmallVector<std::string> getNames() const;
  /// The units of `target`, the one that is chosen by default first.
  llvm::SmallVector<MatrixUnit, 2> getUnitsOf(const TargetFacts &target) const;

private:
  llvm::SmallVector<MatrixUnit, 4> units;
};

} // namespace tc::schedule

#endif // TC_SCHEDULE_MATRIXUNIT_H
