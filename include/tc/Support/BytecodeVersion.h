//===- BytecodeVersion.h - the version of a dialect in bytecode -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytecode of tc's dialects carries their version: what a later version wrote
// is refused with both versions, not read as something else. Types and
// attributes are in their textual form.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_BYTECODEVERSION_H
#define TC_SUPPORT_BYTECODEVERSION_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Operation.h"

namespace tc {

/// Raised with every change after which an older reader would misunderstand
/// what is written; what reads older versions goes into upgradeFromVersion.
constexpr uint64_t kBytecodeVersion = 1;

struct BytecodeVersion : mlir::DialectVersion {
  explicit BytecodeVersion(uint64_t number) : number(number) {}
  uint64_t number;
};

class VersionedBytecode : public mlir::BytecodeDialectInterface {
public:
  explicit VersionedBytecode(mlir::Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(mlir::DialectBytecodeWriter &writer) const override {
    writer.writeVarInt(kBytecodeVersion);
  }

  std::unique_ptr<mlir::DialectVersion>
  readVersion(mlir::DialectBytecodeReader &reader) const override {
    uint64_t number = 0;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (number > kBytecodeVersion) {
      reader.emitError() << "bytecode of dialect '"
                         << getDialect()->getNamespace()
                         << "': expected version " << kBytecodeVersion
                         << " or older, got " << number;
      return nullptr;
    }
    return std::make_unique<BytecodeVersion>(number);
  }
};

} // namespace tc

#endif // TC_SUPPORT_BYTECODEVERSION_H
