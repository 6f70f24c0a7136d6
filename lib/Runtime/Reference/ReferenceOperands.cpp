//===- ReferenceOperands.cpp - operands of a reference ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Reference/ReferenceOperands.h"

#include "tc/Runtime/Sparse.h"

#include <algorithm>
#include <cmath>

using namespace tc;
using namespace tc::runtime;

std::optional<unsigned> runtime::mmaGroupSize(DType type) {
  switch (type) {
  case DType::F16:
  case DType::BF16:
    return 16;
  case DType::TF32:
    return 8;
  case DType::E5M2:
  case DType::E4M3:
  case DType::E3M2:
  case DType::E2M3:
  case DType::E2M1:
    return 32;
  default:
    return std::nullopt;
  }
}

static std::string join(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text.empty() ? "one without dimensions" : text;
}

/// Checks the shape of an operand: `matrix` after dimensions of the batch,
/// each as long as in D or 1.
static Status checkShape(const MatrixView &view, const std::string &name,
                         const MatmulProblem &problem,
                         const std::vector<int64_t> &matrix) {
  const std::vector<int64_t> &shape = view.layout->shape,
                             &batch = problem.batch;
  bool fits = shape.size() >= matrix.size() &&
              shape.size() <= matrix.size() + batch.size() &&
              std::equal(matrix.rbegin(), matrix.rend(), shape.rbegin());
  const size_t own = fits ? shape.size() - matrix.size() : 0;
  for (size_t i = 0; i < own; ++i)
    fits &= shape[i] == 1 || shape[i] == batch[batch.size() - own + i];
  if (fits)
    return {};
  std::vector<int64_t> expected = batch;
  expected.insert(expected.end(), matrix.begin(), matrix.end());
  return makeError("operand " + name + ": expected a buffer of " +
                   join(expected) + ", got " + join(shape));
}

static Status checkView(const MatrixView &view, const char *name,
                        const MatmulProblem &problem, int64_t rows,
                        int64_t columns) {
  if (view.transposed)
    std::swap(rows, columns);
  return checkShape(view, name, problem, {rows, columns});
}

/// The type that elements of `view` are read as.
static DType typeOf(const MatrixView &view) {
  return view.readAs.value_or(view.layout->type);
}

bool runtime::isNarrowScaled(const MatmulProblem &problem) {
  return problem.scaleA && typeOf(problem.a) == DType::E2M1 &&
         typeOf(problem.b) == DType::E2M1;
}

static bool isByte(DType type) {
  return type == DType::I8 || type == DType::U8;
}

/// The types of a product of integers.
static Expected<unsigned> checkIntegers(const MatmulProblem &problem) {
  const std::pair<const char *, DType> sums[] = {
      {"accumulator", problem.accumulator},
      {"operand D", problem.d.layout->type}};
  for (auto [what, type] : sums)
    if (type != DType::I32 &&
        (!problem.epilogue || type == problem.accumulator))
      return makeError(std::string(what) +
                       ": expected i32 for products of i8 and u8, got " +
                       getInfo(type).name);
  if (problem.scaleA)
    return makeError("operands A and B: expected no scale factors for products "
                     "of i8 and u8, got some");
  return *mmaGroupSize(DType::E4M3);
}

static Expected<unsigned> checkTypes(const MatmulProblem &problem) {
  const DType aType = typeOf(problem.a), bType = typeOf(problem.b);
  if (isByte(aType) && isByte(bType))
    return checkIntegers(problem);
  std::optional<unsigned> group = mmaGroupSize(aType);
  if (!group || mmaGroupSize(bType) != group)
    return makeError(std::string("operands A and B: expected types of one "
                                 "kind of tensor core, got ") +
                     getInfo(aType).name + " and " + getInfo(bType).name);
  if (problem.accumulator != DType::F32 && problem.accumulator != DType::F16)
    return makeError(std::string("accumulator: expected f32 or f16, got ") +
                     getInfo(problem.accumulator).name);
  if (!getInfo(problem.d.layout->type).isFloat)
    return makeError(std::string("operand D: expected a float type, got ") +
                     getInfo(problem.d.layout->type).name);
  if (problem.scaleA && *group != *mmaGroupSize(DType::E4M3))
    return makeError(std::string("operands A and B: expected types of 8 bits "
                                 "or fewer with scale factors, got ") +
                     getInfo(aType).name);
  const std::optional<MatrixView> *all[] = {&problem.scaleA, &problem.scaleB};
  for (const std::optional<MatrixView> *scales : all) {
    if (!*scales)
      continue;
    const DType type = (*scales)->layout->type;
    if (problem.scaleColumns != 0) {
      if (type != DType::F32)
        return makeError(
            std::string("scale factors: expected f32 in plain matrices, got ") +
            getInfo(type).name);
      continue;
    }
    if (type != DType::UE8M0 && type != DType::UE4M3)
      return makeError(
          std::string("scale factors: expected ue8m0 or ue4m3, got ") +
          getInfo(type).name);
  }
  return isNarrowScaled(problem) ? 2 * *group : *group;
}

/// Checks the operands of an epilogue.
static Status checkExtras(const MatmulProblem &problem) {
  using Kind = EpilogueOperand::Kind;
  if (!problem.epilogue)
    return {};
  for (size_t i = 0; i < problem.epilogue->operands.size(); ++i) {
    const EpilogueOperand &operand = problem.epilogue->operands[i];
    if (operand.kind == Kind::Scalar)
      continue;
    std::vector<int64_t> matrix = {problem.m, problem.n};
    if (operand.kind != Kind::Matrix)
      matrix = {operand.kind == Kind::AlongM ? problem.m : problem.n};
    if (Status status =
            checkShape(operand.view, "X" + std::to_string(i), problem, matrix);
        !status)
      return status;
  }
  return {};
}

/// The form of the sparse A of `problem`.
static SparseForm formOf(const MatmulProblem &problem) {
  return SparseForm::get(getInfo(problem.a.layout->type).bits);
}

static Status checkMetadata(const MatmulProblem &problem) {
  const SparseForm form = formOf(problem);
  const DType type = problem.metadata->layout->type;
  if (type != DType::I32)
    return makeError(std::string("operand metadata: expected i32, got ") +
                     getInfo(type).name);
  if (problem.scaleA)
    return makeError("operand metadata: expected no scale factors, got some");
  if (problem.k % form.chunk != 0)
    return makeError("operand metadata: expected K of a multiple of " +
                     std::to_string(form.chunk) + ", got " +
                     std::to_string(problem.k));
  return checkShape(*problem.metadata, "metadata", problem,
                    {(problem.m + metadataRows - 1) / metadataRows,
                     (problem.k + form.blockK - 1) / form.blockK, metadataLanes,
                     metadataCells});
}

Expected<unsigned> runtime::checkOperands(const MatmulProblem &problem) {
  const int64_t m = problem.m, n = problem.n, k = problem.k;
  Status status =
      checkView(problem.a, "A", problem, m, problem.metadata ? k / 2 : k);
  if (status)
    status = checkView(problem.b, "B", problem, k, n);
  if (status)
    status = checkView(problem.d, "D", problem, m, n);
  if (status && problem.c)
    status = checkView(*problem.c, "C", problem, m, n);
  auto checkScales = [&](const std::optional<MatrixView> &scales,
                         const char *name, int64_t rows, int64_t step) {
    if (status && scales && problem.scaleColumns != 0)
      status = checkShape(*scales, name, problem,
                          {(rows + step - 1) / step,
                           (k + problem.scaleBlock - 1) / problem.scaleBlock});
    else if (status && scales)
      status = checkShape(*scales, name, problem,
                          {(rows + scaleRows - 1) / scaleRows,
                           (k + problem.scaleBlock * scaleColumns - 1) /
                               (problem.scaleBlock * scaleColumns),
                           32, scaleRows / 32, scaleColumns});
  };
  if (status && problem.metadata)
    status = checkMetadata(problem);
  if (status && problem.rows) {
    if (problem.rows->layout->type != DType::I32)
      status = makeError(
          std::string("operand ") + (problem.isStacked ? "ends" : "counts") +
          ": expected i32, got " + getInfo(problem.rows->layout->type).name);
    else if (problem.rows->layout->shape != problem.batch)
      status = makeError(
          std::string("operand ") + (problem.isStacked ? "ends" : "counts") +
          ": expected a number for each of " + join(problem.batch) + ", got " +
          join(problem.rows->layout->shape));
  }
  checkScales(problem.scaleA, "SFA", m, 1);
  checkScales(problem.scaleB, "SFB", n, problem.scaleColumns);
  if (status && problem.scaleD) {
    std::vector<int64_t> shape = {(m + scaleRows - 1) / scaleRows,
                                  (n + problem.scaleBlockD * scaleColumns - 1) /
                                      (problem.scaleBlockD * scaleColumns),
                                  32, scaleRows / 32, scaleColumns};
    status = checkShape(*problem.scaleD, "SFD", problem, shape);
  }
  if (status && problem.amax &&
      (!problem.amax->layout->shape.empty() ||
       problem.amax->layout->type != DType::F32))
    status = makeError("operand amax: expected an f32 without dimensions");
  if (status && problem.scaleD && n % problem.scaleBlockD != 0)
    status = makeError("operand SFD: expected N of a multiple of " +
                       std::to_string(problem.scaleBlockD) + ", got " +
                       std::to_string(n));
  if (status)
    status = checkExtras(problem);
  if (!status)
    return status.takeError();
  return checkTypes(problem);
}

/// The first element of the part of an operand that matrix `number` of the
/// batch reads; `matrixRank` dimensions are not of the batch.
static int64_t firstOf(const BufferLayout &layout, size_t matrixRank,
                       const std::vector<int64_t> &batch, int64_t number) {
  int64_t first = 0;
  for (size_t i = batch.size(), own = layout.shape.size() - matrixRank; i > 0;
       --i) {
    int64_t index = number % batch[i - 1];
    number /= batch[i - 1];
    if (own == 0)
      continue;
    --own;
    first += layout.shape[own] == 1 ? 0 : index * layout.strides[own];
  }
  return first;
}

Slice::Slice(const MatrixView &view, const std::vector<int64_t> &batch,
             int64_t number, size_t matrixRank)
    : view(&view), first(firstOf(*view.layout, matrixRank, batch, number)) {}

double runtime::readElementAt(const Slice &slice, int64_t offset) {
  const MatrixView &view = *slice.view;
  const BufferLayout &layout = *view.layout;
  uint64_t element = static_cast<uint64_t>(slice.first + offset);
  return decode(view.readAs.value_or(layout.type),
                readElement(view.data, element, getInfo(layout.type).bits));
}

double runtime::readAt(const Slice &slice, int64_t row, int64_t column) {
  if (slice.view->transposed)
    std::swap(row, column);
  const std::vector<int64_t> &strides = slice.view->layout->strides;
  const size_t rank = strides.size();
  return readElementAt(slice,
                       row * strides[rank - 2] + column * strides[rank - 1]);
}

static int lowestBitOf(double value) {
  int exponent;
  double fraction = std::frexp(value, &exponent);
  // 53 bits as an integer: its trailing zeros tell how low the value reaches.
  auto bits = static_cast<uint64_t>(std::fabs(std::ldexp(fraction, 53)));
  return exponent - 53 + __builtin_ctzll(bits);
}

/// The factor of row `row` and element `k` of K.
static double readScale(const ScaleSlice &scales, int64_t row, int64_t k) {
  const Slice &slice = scales.slice;
  const std::vector<int64_t> &strides = slice.view->layout->strides;
  const int64_t column = k / scales.block;
  const int64_t index[scalesRank] = {row / scaleRows, column / scaleColumns,
                                     row % 32, row % scaleRows / 32,
                                     column % scaleColumns};
  int64_t offset = 0;
  for (size_t i = 0; i < scalesRank; ++i)
    offset += index[i] * strides[strides.size() - scalesRank + i];
  return readElementAt(slice, offset);
}

Dense runtime::densify(const Slice &view, int64_t rows, int64_t columns,
                       const std::optional<ScaleSlice> &scales,
                       bool alongColumns) {
  Dense dense;
  dense.values.resize(static_cast<size_t>(rows * columns));
  dense.subnormal.resize(static_cast<size_t>(alongColumns ? columns : rows));
  dense.largest.resize(dense.subnormal.size());
  const double normal = minNormal(view.view->layout->type);
  double *out = dense.values.data();
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      double value = readAt(view, row, column);
      const bool isSubnormal = value != 0 && std::fabs(value) < normal;
      double scale = 1;
      if (scales)
        scale = alongColumns ? readScale(*scales, column, row)
                             : readScale(*scales, row, column);
      const bool isAlone = scales && scales->alignsAlone;
      const double counts =
          isAlone ? scale : scale * (isSubnormal ? normal : std::fabs(value));
      const auto line = static_cast<size_t>(alongColumns ? column : row);
      if (isSubnormal || isAlone)
        dense.subnormal[line] = std::max(dense.subnormal[line], counts);
      dense.largest[line] = std::max(dense.largest[line], counts);
      value *= scale;
      *out++ = value;
      if (!std::isfinite(value))
        dense.isFinite = false;
      else if (value != 0)
        dense.lowestBit = std::min(dense.lowestBit, lowestBitOf(value));
    }
  return dense;
}

Expected<Dense> runtime::densifySparse(const MatmulProblem &problem,
                                       int64_t number) {
  const SparseForm form = formOf(problem);
  const int64_t m = problem.m, k = problem.k;
  Dense kept = densify({problem.a, problem.batch, number}, m, k / 2);
  const Slice metadata(*problem.metadata, problem.batch, number,
                       /*matrixRank=*/4);
  const std::vector<int64_t> &all = problem.metadata->layout->strides;
  const auto strides = all.end() - 4;
  std::vector<double> values(static_cast<size_t>(m * k));
  kept.kept.resize(values.size());
  for (int64_t row = 0; row < m; ++row)
    for (int64_t first = 0; first < k; first += form.chunk) {
      const MetadataPlace place = locateMetadata(form, row, first);
      const double word = readElementAt(
          metadata, row / metadataRows * strides[0] +
                        first / form.blockK * strides[1] +
                        place.lane * strides[2] + place.cell * strides[3]);
      const unsigned code =
          static_cast<uint32_t>(static_cast<int32_t>(word)) >> place.bit & 15;
      const auto elements = readCode(form, code);
      if (!elements)
        return makeError("operand metadata: the code " + std::to_string(code) +
                         " of row " + std::to_string(row) + ", k " +
                         std::to_string(first) + " names no elements");
      for (int64_t i = 0; i < form.kept; ++i) {
        const int64_t place = row * k + first + (*elements)[i];
        values[place] =
            kept.values[row * (k / 2) + first / form.chunk * form.kept + i];
        kept.kept[place] = true;
      }
    }
  kept.values = std::move(values);
  return kept;
}
