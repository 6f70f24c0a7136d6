//===- DescriptionReader.h - From JSON to Description -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader keeps its first error and every step returns false once there is
// one, so that the code reads like the format. Whatever names something (a
// size, a buffer, a kernel) is looked up here: later steps rely on it. A key
// that nothing here asks for is an error.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_DESCRIPTION_DESCRIPTIONREADER_H
#define TC_RUNTIME_DESCRIPTION_DESCRIPTIONREADER_H

#include "Runtime/Description/Json.h"
#include "tc/Runtime/Description.h"

namespace tc::runtime {

class DescriptionReader {
public:
  explicit DescriptionReader(Description &out) : out(out) {}

  /// The description of the function `name`: a member of `functions`, or `root`
  /// itself.
  Expected<JsonValue> findFunction(const JsonValue &root,
                                   const std::string &name);
  bool read(const JsonValue &root);
  Error takeError() { return std::move(*error); }

private:
  using Optional = std::optional<JsonValue>;

  bool fail(Error failure) {
    error = std::move(failure);
    return false;
  }
  /// Stores the value of `from`, or keeps its error.
  template <typename T>
  bool set(T &into, Expected<T> from) {
    if (!from)
      return fail(from.takeError());
    into = std::move(*from);
    return true;
  }
  bool find(Optional &into, const JsonValue &object, const char *key) {
    return set(into, object.find(key));
  }
  /// The same of a member that must be there.
  bool require(Optional &into, const JsonValue &object, const char *key) {
    Expected<JsonValue> member = object.get(key);
    if (!member)
      return fail(member.takeError());
    into = std::move(*member);
    return true;
  }

  bool expression(const JsonValue &value, Expression &into);
  bool expressions(const JsonValue &value, std::vector<Expression> &into,
                   size_t count = 0);
  bool triple(const JsonValue &object, const char *key,
              std::array<Expression, 3> &into);
  bool optionalExpression(const JsonValue &object, const char *key,
                          Expression &into);
  bool optionalString(const JsonValue &object, const char *key,
                      std::string &into);
  bool optionalPath(const JsonValue &object, const char *key,
                    std::string &into);
  bool bufferName(const JsonValue &value, std::string &into);
  bool dtype(const JsonValue &value, DType &into);
  /// A number, or a string such as "0x7f0000001000".
  bool address(const JsonValue &value, uint64_t &into);
  /// "00ff10": two digits a byte.
  bool hexBytes(const JsonValue &value, std::vector<uint8_t> &into);
  bool optionalFill(const JsonValue &object, BufferSpec &buffer);
  bool optionalHexBytes(const JsonValue &object, std::vector<uint8_t> &into);
  bool readContents(const JsonValue &object, BufferSpec &buffer);
  bool readVariable(const std::string &name, const JsonValue &object);
  /// A string out of `choices`.
  bool choice(const JsonValue &object, const char *key,
              const std::vector<std::string> &choices, std::string &into);

  bool readSizes(const JsonValue &list);
  /// Whether a name of a value is not what a float is written as.
  bool isNoNumber(const JsonValue &object, const std::string &name);
  bool readScalar(const JsonValue &object);
  bool scalarName(const JsonValue &value, std::string &into);
  bool readConstraint(const JsonValue &object);
  bool readBuffer(const std::string &name, const JsonValue &object);
  bool readExpect(const JsonValue &object, BufferSpec &buffer);
  bool readTolerance(const JsonValue &object, const char *key, double &into);
  bool readInit(const JsonValue &object, bool hasRole, BufferSpec &buffer);
  bool readKernel(const JsonValue &object);
  bool readLaunch(const JsonValue &object, bool isPlain);
  bool readParam(const JsonValue &object, ParamSpec &param, unsigned depth);
  bool readTensorMap(const JsonValue &object, TensorMapSpec &map);
  bool readIm2col(const JsonValue &object, size_t rank, TensorMapSpec &map);
  bool readStruct(const JsonValue &object, ParamSpec &param, unsigned depth);
  bool readProblem(const JsonValue &object);
  bool readArithmetic(const JsonValue &object, ProblemSpec &problem);
  bool readScales(const JsonValue &object, ProblemSpec &problem);
  bool readScalesOfD(const JsonValue &object, ProblemSpec &problem);
  bool readOperand(const JsonValue &object, OperandSpec &operand,
                   bool takesWindows = false);
  bool readWindows(const JsonValue &object, size_t rank, WindowsSpec &windows);
  bool readEpilogue(const JsonValue &object, EpilogueSpec &epilogue);
  bool readEpilogueOperand(const JsonValue &object,
                           std::vector<std::string> &names,
                           EpilogueSpec &epilogue);
  bool readStep(const JsonValue &object, std::vector<std::string> &names,
                EpilogueSpec &epilogue);
  bool checkFormula(const JsonValue &object, const ProblemSpec &problem);
  bool readRows(const JsonValue &object);
  bool readRowsOperand(const JsonValue &object, size_t rank,
                       RowsOperandSpec &operand);
  bool readRowsStep(const JsonValue &object, std::vector<std::string> &names,
                    RowsSpec &rows);
  /// A number, or a value before: one of `names`.
  bool readArgument(const JsonValue &value,
                    const std::vector<std::string> &names,
                    EpilogueStep::Argument &argument);

  template <typename Read>
  bool readList(const JsonValue &root, const char *key, Read read) {
    Optional list;
    if (!find(list, root, key))
      return false;
    if (!list)
      return true;
    std::vector<JsonValue> values;
    if (!set(values, list->elements()))
      return false;
    for (const JsonValue &value : values)
      if (!read(value))
        return false;
    return true;
  }

  Description &out;
  std::optional<Error> error;
};

} // namespace tc::runtime

#endif // TC_RUNTIME_DESCRIPTION_DESCRIPTIONREADER_H
