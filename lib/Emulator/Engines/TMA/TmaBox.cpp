//===- TmaBox.cpp - the bytes that one tensor copy moves ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows are found once per box, with their clipped byte ranges; everything else
// moves whole rows or 16-byte chunks.
//
//===----------------------------------------------------------------------===//

#include "Engines/TMA/TmaBox.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tc::emu {

uint32_t swizzleAddress(TensorMapSwizzle swizzle, uint32_t a) {
  switch (swizzle) {
  case TensorMapSwizzle::None:
    return a;
  case TensorMapSwizzle::B32:
    return a ^ (((a >> 7) & 1) << 4);
  case TensorMapSwizzle::B64:
    return a ^ (((a >> 7) & 3) << 4);
  case TensorMapSwizzle::B128:
    return a ^ (((a >> 7) & 7) << 4);
  case TensorMapSwizzle::B128Atom32:
    return a ^ (((a >> 7) & 3) << 5);
  case TensorMapSwizzle::B128Atom32Flip8:
    return a ^ (((a >> 7) & 3) << 5) ^ (((a >> 7) & 1) << 3);
  case TensorMapSwizzle::B128Atom64:
    return a ^ (((a >> 7) & 1) << 6);
  }
  return a;
}

/// Types whose 16 elements take `data` bytes in global and 16 in shared memory.
static unsigned paddedUnit(TensorMapType type) {
  return type == TensorMapType::B4x16P64   ? 8
         : type == TensorMapType::B6x16P32 ? 12
                                           : 0;
}

BoxShape boxShape(const TensorMapDesc &map, bool fourRows) {
  BoxShape shape;
  shape.rows = 1;
  if (map.im2col) {
    shape.extent[0] = map.channelsPerPixel;
    shape.rows = map.pixelsPerColumn;
  }
  for (unsigned i = 0; i < map.rank && !map.im2col; ++i) {
    // The step along dimension 0 is ignored without interleave.
    uint32_t step = i == 0 ? 1 : map.elementStrides[i];
    shape.extent[i] = (map.box[i] + step - 1) / step;
    if (i)
      shape.rows *= shape.extent[i];
  }
  if (fourRows)
    shape.rows = 4;
  shape.globalRow = static_cast<uint32_t>(uint64_t(shape.extent[0]) *
                                          tensorMapElementBits(map.dtype) / 8);
  shape.sharedRow = paddedUnit(map.dtype) ? shape.extent[0] : shape.globalRow;
  shape.sharedPitch = std::max(shape.sharedRow, swizzleSpan(map.swizzle));
  shape.sharedBytes = shape.sharedPitch * shape.rows;
  shape.denseBytes = shape.sharedRow * shape.rows;
  shape.transaction = shape.globalRow * shape.rows;
  return shape;
}

std::string checkPosition(const TensorMapDesc &map, const BoxPosition &position,
                          bool load) {
  if (map.interleave != TensorMapInterleave::None)
    return "interleaved tensor maps are not supported by the emulator";
  unsigned bits = tensorMapElementBits(map.dtype);
  if (paddedUnit(map.dtype) && position.coords[0] % 128)
    return "coordinate 0: expected a multiple of 128 for packed types with "
           "padding, got " +
           std::to_string(position.coords[0]);
  if (bits < 8 && (int64_t(position.coords[0]) * bits) % 8)
    return "coordinate 0: expected the start of a byte, got element " +
           std::to_string(position.coords[0]);
  // The ISA states neither of these two; an H200 ends both with an illegal
  // instruction. The CUDA C++ Programming Guide ("Tensor Memory Accelerator")
  // has the second one.
  const int step = bits >= 8 ? 128 / int(bits) : 1;
  if (position.coords[0] % step)
    return "coordinate 0: expected a multiple of 16 bytes (" +
           std::to_string(step) + " elements), got " +
           std::to_string(position.coords[0]);
  for (unsigned i = 0; i < map.rank && !load && !position.fourRows; ++i)
    if (position.coords[i] < 0)
      return "coordinate " + std::to_string(i) +
             " of a store: expected 0 or more, got " +
             std::to_string(position.coords[i]);
  if (position.fourRows) {
    if (map.rank != 2)
      return "gather4 and scatter4: expected a tensor map of rank 2, got " +
             std::to_string(map.rank);
    if (map.box[1] != 1)
      return "gather4 and scatter4: expected boxDim[1] = 1, got " +
             std::to_string(map.box[1]);
  }
  return "";
}

/// Pixels of an im2col copy (PTX ISA 9.0, "im2col mode", 5.5.4): from the start
/// the base pixel runs through the bounding box, dimension 1 fastest, and then
/// into the next image; what is loaded is `offsets` away from it.
static void im2colRows(const TensorMapDesc &map, const BoxPosition &position,
                       const BoxRow &inner, uint64_t base,
                       std::vector<BoxRow> &rows) {
  const unsigned last = map.rank - 1; // the images
  std::array<int64_t, 5> pixel{};
  for (unsigned i = 1; i <= last; ++i)
    pixel[i] = position.coords[i];
  for (BoxRow &row : rows) {
    uint64_t address = base;
    bool inside = true;
    for (unsigned i = 1; i <= last; ++i) {
      int64_t coord = pixel[i] + (i < last ? position.offsets[i - 1] : 0);
      inside =
          inside && coord >= 0 && coord < static_cast<int64_t>(map.dims[i]);
      address += static_cast<uint64_t>(coord) * map.strides[i - 1];
    }
    if (inside) {
      row = inner;
      row.global = address;
    }
    for (unsigned i = 1; i <= last; ++i) {
      pixel[i] += map.elementStrides[i];
      if (i == last ||
          pixel[i] < static_cast<int64_t>(map.dims[i]) + map.upperCorner[i - 1])
        break;
      pixel[i] = map.lowerCorner[i - 1];
    }
  }
}

/// Stores and reductions are cut at multiples of 16 bytes of a row, not at its
/// last element: what shares these bytes with it is written, too. The ISA only
/// says that out-of-bound elements are not written ("Out-of-bound access"); on
/// an H200 they are.
static int64_t storeEnd(int64_t elements, int64_t bits) {
  const int64_t chunk = 128 / std::gcd<int64_t>(128, bits);
  return (elements + chunk - 1) / chunk * chunk;
}

std::vector<BoxRow> boxRows(const TensorMapDesc &map,
                            const BoxPosition &position, BoxAccess access) {
  BoxShape shape = boxShape(map, position.fourRows);
  std::vector<BoxRow> rows(shape.rows);
  // The inner row, clipped to the tensor, is the same for every row.
  const int64_t bits = tensorMapElementBits(map.dtype);
  int64_t first = position.coords[0], last = first + shape.extent[0];
  int64_t begin = std::max<int64_t>(first, 0),
          size = static_cast<int64_t>(map.dims[0]),
          end = std::min<int64_t>(
              last, access == BoxAccess::Store ? storeEnd(size, bits) : size);
  BoxRow inner;
  if (begin < end) {
    inner.bytes = static_cast<uint32_t>((end - begin) * bits / 8);
    inner.skipped = static_cast<uint32_t>((begin - first) * bits / 8);
  }
  if (!inner.bytes)
    return rows;
  const uint64_t base =
      map.globalAddress + static_cast<uint64_t>(begin * bits / 8);

  if (map.im2col) {
    im2colRows(map, position, inner, base, rows);
    return rows;
  }
  std::array<uint32_t, 5> index{};
  for (uint32_t r = 0; r < shape.rows; ++r) {
    uint64_t address = base;
    bool inside = true;
    for (unsigned i = 1; i < map.rank; ++i) {
      int64_t coord =
          position.fourRows
              ? position.rows[r]
              : position.coords[i] + int64_t(index[i]) * map.elementStrides[i];
      inside =
          inside && coord >= 0 && coord < static_cast<int64_t>(map.dims[i]);
      address += static_cast<uint64_t>(coord) * map.strides[i - 1];
    }
    if (inside) {
      rows[r] = inner;
      rows[r].global = address;
    }
    for (unsigned i = 1; i < map.rank; ++i) {
      if (++index[i] < shape.extent[i])
        break;
      index[i] = 0;
    }
  }
  return rows;
}

/// The pattern of out-of-bounds elements with NaN fill, the same for every
/// type.
static uint64_t fillPattern(const TensorMapDesc &map) {
  return map.oobFill == TensorMapOobFill::Zero ? 0 : 0x7ff77ff77ff77ff7ull;
}

/// Elements of tf32 maps lose 13 bits on the way into shared memory, rounded to
/// nearest even. Both types keep subnormals; NaN becomes 0x7fffe000.
static void roundToTf32(uint8_t *data, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; i += 4) {
    uint32_t word;
    std::memcpy(&word, data + i, 4);
    word = (word & 0x7fffffffu) > 0x7f800000u
               ? 0x7fffe000u
               : (word + 0xfffu + (word >> 13 & 1)) & ~0x1fffu;
    std::memcpy(data + i, &word, 4);
  }
}

static void fill(uint8_t *out, uint32_t bytes, uint64_t pattern,
                 uint32_t phase) {
  if (!pattern) {
    std::memset(out, 0, bytes);
    return;
  }
  uint8_t unit[8];
  std::memcpy(unit, &pattern, 8);
  for (uint32_t i = 0; i < bytes; ++i)
    out[i] = unit[(i + phase) % 8];
}

/// One callback for the whole box where its rows are in one allocation.
template <class Pointer, class Access>
static Pointer wholeRange(const std::vector<BoxRow> &rows, const Access &access,
                          uint64_t &begin) {
  uint64_t end = 0;
  begin = ~uint64_t(0);
  for (const BoxRow &row : rows)
    if (row.bytes) {
      begin = std::min(begin, row.global);
      end = std::max(end, row.global + row.bytes);
    }
  return end ? access(begin, end - begin) : nullptr;
}

BoxFault loadBox(const TensorMapDesc &map, const BoxPosition &position,
                 const ReadGlobal &read, std::vector<uint8_t> &dense) {
  BoxShape shape = boxShape(map, position.fourRows);
  std::vector<BoxRow> rows = boxRows(map, position, BoxAccess::Load);
  dense.resize(shape.denseBytes);
  const bool rounds =
      map.dtype == TensorMapType::TF32 || map.dtype == TensorMapType::TF32FTZ;
  const unsigned unit = paddedUnit(map.dtype);
  const uint64_t pattern = fillPattern(map);
  uint64_t begin;
  const uint8_t *whole = wholeRange<const uint8_t *>(rows, read, begin);
  std::vector<uint8_t> packedRow(unit ? shape.globalRow : 0);
  for (uint32_t r = 0; r < shape.rows; ++r) {
    const BoxRow &row = rows[r];
    uint8_t *out =
        unit ? packedRow.data() : dense.data() + size_t(r) * shape.sharedRow;
    if (!row.bytes) {
      fill(out, shape.globalRow, pattern, 0);
    } else {
      const uint8_t *in =
          whole ? whole + (row.global - begin) : read(row.global, row.bytes);
      if (!in)
        return {true, row.global, row.bytes};
      fill(out, row.skipped, pattern, 0);
      std::memcpy(out + row.skipped, in, row.bytes);
      if (rounds)
        roundToTf32(out + row.skipped, row.bytes);
      uint32_t done = row.skipped + row.bytes;
      fill(out + done, shape.globalRow - done, pattern, done % 8);
    }
    if (unit) {
      uint8_t *padded = dense.data() + size_t(r) * shape.sharedRow;
      for (uint32_t u = 0; u * 16 < shape.sharedRow; ++u) {
        std::memcpy(padded + u * 16, out + u * unit, unit);
        std::memset(padded + u * 16 + unit, 0, 16 - unit);
      }
    }
  }
  return {};
}

BoxFault storeBox(const TensorMapDesc &map, const BoxPosition &position,
                  const WriteGlobal &write, const std::vector<uint8_t> &dense,
                  const StoreBytes &store) {
  BoxShape shape = boxShape(map, position.fourRows);
  std::vector<BoxRow> rows = boxRows(map, position, BoxAccess::Store);
  for (uint32_t r = 0; r < shape.rows; ++r) {
    const BoxRow &row = rows[r];
    if (!row.bytes)
      continue;
    uint8_t *out = write(row.global, row.bytes);
    if (!out)
      return {true, row.global, row.bytes};
    const uint8_t *in =
        dense.data() + size_t(r) * shape.sharedRow + row.skipped;
    if (store)
      store(out, in, row.bytes);
    else
      std::memcpy(out, in, row.bytes);
  }
  return {};
}

/// Calls move(row, offset in it, shared offset) for every 8-byte piece where
/// the swizzle flips those, else for every 16-byte piece. The swizzle is a
/// constant to the compiler.
template <class Move>
static void forEachPiece(TensorMapSwizzle swizzle, const BoxShape &shape,
                         uint32_t address, const Move &move) {
  auto visit = [&](auto mode, auto size) {
    for (uint32_t r = 0; r < shape.rows; ++r)
      for (uint32_t i = 0; i < shape.sharedRow; i += size)
        move(r, i,
             swizzleAddress(mode, address + r * shape.sharedPitch + i) -
                 address,
             size);
  };
  using S = TensorMapSwizzle;
  constexpr std::integral_constant<unsigned, 16> unit;
  switch (swizzle) {
  case S::None:
    return visit(std::integral_constant<S, S::None>(), unit);
  case S::B32:
    return visit(std::integral_constant<S, S::B32>(), unit);
  case S::B64:
    return visit(std::integral_constant<S, S::B64>(), unit);
  case S::B128:
    return visit(std::integral_constant<S, S::B128>(), unit);
  case S::B128Atom32:
    return visit(std::integral_constant<S, S::B128Atom32>(), unit);
  case S::B128Atom32Flip8:
    return visit(std::integral_constant<S, S::B128Atom32Flip8>(),
                 std::integral_constant<unsigned, 8>());
  case S::B128Atom64:
    return visit(std::integral_constant<S, S::B128Atom64>(), unit);
  }
}

uint32_t findStored(const TensorMapDesc &map, const BoxPosition &position,
                    uint32_t address,
                    const std::function<bool(uint32_t)> &matches) {
  const std::vector<BoxRow> rows = boxRows(map, position, BoxAccess::Store);
  uint32_t found = 0;
  forEachPiece(map.swizzle, boxShape(map, position.fourRows), address,
               [&](uint32_t r, uint32_t first, uint32_t to, auto size) {
                 const BoxRow &row = rows[r];
                 for (uint32_t i = 0; !found && i < size; ++i)
                   if (first + i >= row.skipped &&
                       first + i < row.skipped + row.bytes &&
                       matches(address + to + i))
                     found = address + to + i;
               });
  return found;
}

bool copyBox(const TensorMapDesc &map, const BoxPosition &position,
             const ReadGlobal &read, uint32_t address, uint8_t *window) {
  const BoxShape shape = boxShape(map, position.fourRows);
  if (paddedUnit(map.dtype) || shape.globalRow % 16 ||
      map.dtype == TensorMapType::TF32 || map.dtype == TensorMapType::TF32FTZ)
    return false;
  const std::vector<BoxRow> rows = boxRows(map, position, BoxAccess::Load);
  for (const BoxRow &row : rows)
    if (row.bytes != shape.globalRow)
      return false;
  uint64_t begin;
  const uint8_t *whole = wholeRange<const uint8_t *>(rows, read, begin);
  if (!whole)
    return false;
  if (map.swizzle == TensorMapSwizzle::None) {
    for (uint32_t r = 0; r < shape.rows; ++r)
      std::memcpy(window + size_t(r) * shape.sharedRow,
                  whole + (rows[r].global - begin), shape.sharedRow);
    return true;
  }
  forEachPiece(map.swizzle, shape, address,
               [&](uint32_t row, uint32_t i, uint32_t to, auto size) {
                 std::memcpy(window + static_cast<int32_t>(to),
                             whole + (rows[row].global - begin) + i, size);
               });
  return true;
}

void scatterBox(TensorMapSwizzle swizzle, const BoxShape &shape,
                uint32_t address, const std::vector<uint8_t> &dense,
                uint8_t *window) {
  if (swizzle == TensorMapSwizzle::None) {
    std::memcpy(window, dense.data(), dense.size());
    return;
  }
  forEachPiece(swizzle, shape, address,
               [&](uint32_t row, uint32_t i, uint32_t to, auto size) {
                 std::memcpy(window + static_cast<int32_t>(to),
                             &dense[row * shape.sharedRow + i], size);
               });
}

void gatherBox(TensorMapSwizzle swizzle, const BoxShape &shape,
               uint32_t address, const uint8_t *window,
               std::vector<uint8_t> &dense) {
  if (swizzle == TensorMapSwizzle::None) {
    std::memcpy(dense.data(), window, dense.size());
    return;
  }
  forEachPiece(swizzle, shape, address,
               [&](uint32_t row, uint32_t i, uint32_t to, auto size) {
                 std::memcpy(&dense[row * shape.sharedRow + i],
                             window + static_cast<int32_t>(to), size);
               });
}

} // namespace tc::emu
