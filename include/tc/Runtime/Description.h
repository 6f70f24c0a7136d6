//===- Description.h - Kernel descriptions and launch files -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch file or a kernel description says, as plain data. A launch file
// runs any PTX: one kernel, its buffers and parameters. The kernel description
// that the compiler writes beside its PTX is the same with sizes, constraints,
// several kernels and launches, and the problem that the kernel solves. Numbers
// may be expressions over the sizes everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_DESCRIPTION_H
#define TC_RUNTIME_DESCRIPTION_H

#include "tc/Runtime/Buffer.h"
#include "tc/Runtime/Epilogue.h"
#include "tc/Runtime/Expression.h"
#include "tc/Runtime/RowsStep.h"

#include <array>
#include <optional>

namespace tc::runtime {

/// Whether a kernel reads or writes a buffer.
enum class BufferRole : uint8_t { In, InOut, Out, Temporary };

/// The arguments of cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col, by the
/// names of launch files.
struct TensorMapSpec {
  std::string buffer; ///< empty: a null address
  Expression offset;  ///< in bytes
  std::string type;   ///< element type, or a packed type such as 16u4_align8b
  std::vector<Expression> dims;    ///< from the fastest
  std::vector<Expression> strides; ///< in bytes, dimensions 1 and up
  std::vector<Expression> box;
  std::vector<Expression> elementStrides; ///< empty: ones
  std::string swizzle = "none";
  std::string interleave = "none";
  std::string oobFill = "zero";
  std::string l2Promotion = "none";
  /// cuTensorMapEncodeIm2col instead, without a box: corners of rank - 2
  /// entries, channels per pixel and pixels per column.
  bool isIm2col = false;
  std::vector<Expression> lower, upper;
  Expression channels, pixels;
};

/// One kernel parameter or one field of a struct.
struct ParamSpec {
  enum class Kind : uint8_t {
    TensorMap,
    Pointer,
    Integer,
    Float,
    Struct,
    Bytes
  };
  Kind kind = Kind::Integer;
  DType scalarType = DType::I32; ///< Integer and Float
  Expression integer;            ///< Integer
  double number = 0;             ///< Float
  std::string scalar; ///< Float: a scalar of the description; empty: `number`
  std::string buffer; ///< Pointer; empty: null
  Expression offset;  ///< Pointer, in bytes
  std::vector<TensorMapSpec> tensorMap; ///< TensorMap: one, none if it is null
  uint64_t structBytes = 0;             ///< Struct
  std::vector<std::pair<uint64_t, ParamSpec>> fields; ///< Struct: offset, value
  std::vector<uint8_t> bytes;                         ///< Bytes
  std::string where; ///< place in the file, for diagnostics
};

/// What a buffer holds after the launches, by a file of dense elements: each
/// differs by at most atol + rtol * |expected|.
struct ExpectSpec {
  std::string file;
  DType type = DType::F32; ///< of the file
  double atol = 0, rtol = 0;
  std::string where; ///< place in the description, for diagnostics
};

struct BufferSpec {
  std::string name;
  DType type = DType::F32;
  std::vector<Expression> shape;
  std::vector<Expression> strides; ///< in elements; empty: dense
  /// Elements between the aligned address that kernels count from and the first
  /// element.
  int64_t offset = 0;
  BufferRole role = BufferRole::InOut;
  InitSpec init;
  Expression initLimit;        ///< InitSpec::limit
  std::string inFile, outFile; ///< empty: none
  std::vector<uint8_t> bytes;  ///< first contents; empty: as `init` says
  bool repeatsBytes = false;   ///< `bytes` are repeated to the end
  /// Values at offsets of the first contents: pointers to buffers, tensor maps.
  std::vector<std::pair<uint64_t, ParamSpec>> contains;
  uint64_t address = 0; ///< fixed device address, 0: any
  std::optional<ExpectSpec> expect;
  std::string where; ///< place in the file, for diagnostics

  /// The bytes of `offset` elements.
  uint64_t leadBytes() const;
};

/// A module-scope variable of the PTX with other contents than it says.
struct VariableSpec {
  std::string name;
  std::string inFile;         ///< empty: none
  std::vector<uint8_t> bytes; ///< from the start; empty: as the PTX says
  uint64_t address = 0;       ///< of a .global variable; 0: any
  std::string where;
};

struct KernelSpec {
  std::string entry; ///< empty: the only one of the PTX
  std::array<Expression, 3> block{1, 1, 1};
  /// Zeros: what the PTX requires.
  std::array<Expression, 3> cluster{0, 0, 0};
  /// A larger size that the device may use instead; zeros: none.
  std::array<Expression, 3> preferredCluster{0, 0, 0};
  Expression dynamicSmem;  ///< bytes
  bool coResident = false; ///< all clusters run at once
  /// %envreg0 and up, as the driver set them.
  std::vector<Expression> envregs;
  /// The kernel itself waits for the grids before it (griddepcontrol), so
  /// that it may be launched before they have ended.
  bool programmaticLaunch = false;
  std::string where;
};

struct LaunchSpec {
  size_t kernel = 0; ///< index into Description::kernels
  std::array<Expression, 3> grid{1, 1, 1};
  std::optional<Expression> when; ///< 0: this launch is skipped
  std::vector<ParamSpec> params;
  std::string where;
};

struct ConstraintSpec {
  Expression check; ///< has to be non-zero
  /// What has to be a multiple of `multipleOf`, for the message.
  std::optional<Expression> value;
  int64_t multipleOf = 0;
  std::string message;
  std::string where;
};

/// A float that the caller gives, like a size.
struct ScalarSpec {
  std::string name;
  DType type = DType::F32;
};

/// The matrix of the windows of images: with two dimensions of an image, its
/// element (m, k) is images[n, p * strides[0] + r * dilations[0] - padding[0],
/// q * strides[1] + s * dilations[1] - padding[1], c], 0 outside of the image,
/// for m = (n * output[0] + p) * output[1] + q, k = (r * window[1] + s) * C +
/// c.
struct WindowsSpec {
  std::vector<int64_t> output, window, strides, dilations, padding;
};

/// A buffer, or a part of it.
struct OperandSpec {
  std::string buffer;
  /// What its elements are read as, where that is not the type of the buffer.
  std::optional<DType> type;
  bool transposed = false;
  /// Of a part: its first element, and per dimension size and distance, in
  /// elements.
  bool isView = false;
  Expression offset;
  std::vector<Expression> shape, strides;
  /// The operand is the matrix of the windows of that.
  std::optional<WindowsSpec> windows;
  std::string where;
};

/// What an epilogue reads besides the accumulator.
struct EpilogueOperandSpec {
  enum class Along : uint8_t { Matrix, M, N, Scalar };
  Along along = Along::Matrix;
  OperandSpec operand;
  std::string scalar;
  std::string where;
};

struct EpilogueSpec {
  std::vector<EpilogueOperandSpec> operands;
  std::vector<EpilogueStep> steps;
  size_t result = 0; ///< number of the value that is D
  size_t amax = 0;   ///< number of the value that amax is of
};

/// D = A * B (+ C), or an epilogue of it, for the check against float64. With
/// scale factors A and B are what these make of them.
struct ProblemSpec {
  std::string formula; ///< as written in the file
  /// Sizes of the dimensions of D before M and N.
  std::vector<Expression> batch;
  Expression m, n, k;
  OperandSpec a, b, d;
  std::optional<OperandSpec> c;
  /// Scale factors in blocks (Reference.h), of both operands or of none.
  std::optional<OperandSpec> scaleA, scaleB;
  int64_t scaleBlock = 32; ///< elements of K that share a factor
  /// Of f32 factors in plain matrices, columns of B that share one; else 0.
  int64_t scaleColumns = 0;
  /// Which elements a sparse A keeps, in blocks (Sparse.h).
  std::optional<OperandSpec> metadata;
  /// Which rows the problems of the batch have (Reference.h).
  std::optional<OperandSpec> ends, counts;
  /// Outputs beside D: its scale factors, and the largest absolute value.
  std::optional<OperandSpec> scaleD, amax;
  int64_t scaleBlockD = 32; ///< elements of a row of D that share a factor
  DType accumulator = DType::F32;
  /// What elements of A and B are multiplied as, where that is not their type.
  std::optional<DType> multiplyAs;
  /// MatmulProblem::accumulatorBits (Reference.h).
  int accumulatorBits = 25;
  std::optional<EpilogueSpec> epilogue;
  /// The launch that computes it: its inputs are what the launches before left.
  std::optional<size_t> launch;
  std::string where;
};

/// Where the elements of an operand of rows are (Rows.h).
struct RowsOperandSpec {
  OperandSpec operand;
  std::vector<std::optional<size_t>> dims;
  std::vector<int64_t> adds;
  bool isPiece = false;
};

/// What a launch computes of rows, for the check against float64.
struct RowsSpec {
  std::string formula; ///< for people
  std::vector<Expression> sizes;
  std::vector<RowsOperandSpec> operands, outputs;
  std::vector<RowsStep> steps;
  std::vector<EpilogueStep::Argument> results;
  size_t launch = 0;
  /// Why it cannot be checked; empty: it can.
  std::string obstacle;
  std::string where;
};

/// A launch file or a kernel description.
struct Description {
  std::string file;   ///< its path
  std::string folder; ///< what paths inside are relative to; "" or with a slash
  std::string chip;   ///< e.g. "sm_100a", empty in launch files
  /// Changes to what the run takes for granted ("+NAME,-NAME").
  std::string assume;
  std::vector<std::string> sizes;
  std::vector<ScalarSpec> scalars;
  std::vector<ConstraintSpec> constraints;
  std::vector<BufferSpec> buffers; ///< by name
  std::vector<VariableSpec> variables;
  std::vector<KernelSpec> kernels;
  std::vector<LaunchSpec> launches;
  std::vector<ProblemSpec> problems;
  std::vector<RowsSpec> rows;

  /// Reads a file. Errors name the place in the file, what was expected there
  /// and what it holds. Of a file with `functions` the one that is called
  /// `function`, which may be empty where there is one.
  static Expected<Description> readFile(const std::string &path,
                                        const std::string &function = "");
  /// The same from text; `path` is for diagnostics and relative paths.
  static Expected<Description> parse(std::string_view text,
                                     const std::string &path,
                                     const std::string &function = "");

  /// Whether a buffer has an `expect`.
  bool hasExpectations() const;
  const BufferSpec *findBuffer(std::string_view name) const;
};

} // namespace tc::runtime

#endif // TC_RUNTIME_DESCRIPTION_H
