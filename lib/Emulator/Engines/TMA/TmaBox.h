//===- TmaBox.h - the bytes that one tensor copy moves ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Geometry of a box: which global bytes a tiled tensor copy reads or writes for
// given coordinates, and where they are in shared memory (PTX ISA 9.0, "Tensor
// copy", "Tiled Mode", "Swizzling Modes"). A box is first laid out row by row,
// dimension 0 fastest, then swizzled on absolute shared addresses. Where the
// ISA says nothing (rows narrower than the swizzle, the NaN of the fill, the
// rounding of tf32, coordinates that are refused, how far the stores of a row
// go) this is what an H200 does (test/Device). Pure functions: no machine, no
// schedule.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_ENGINES_TMA_TMABOX_H
#define TC_EMULATOR_ENGINES_TMA_TMABOX_H

#include "tc/Emulator/TensorMap.h"

#include <functional>
#include <vector>

namespace tc::emu {

/// Coordinates of a tiled copy, innermost first. For gather4 and scatter4
/// `rows` are the four row coordinates and coords[0] the column.
struct BoxPosition {
  std::array<int32_t, 5> coords{};
  bool fourRows = false;
  std::array<int32_t, 4> rows{};
  /// im2col: offsets of the filter's tap along dimensions 1 to rank - 2.
  std::array<uint32_t, 3> offsets{};
};

/// Where swizzling puts the byte that the dense layout has at `address` (an
/// absolute shared address).
uint32_t swizzleAddress(TensorMapSwizzle swizzle, uint32_t address);

/// Alignment of a box in shared memory: 128 bytes for every tensor copy.
constexpr uint32_t boxAlignment = 128;

struct BoxShape {
  /// Elements that arrive along each dimension, ceil(box / element stride).
  std::array<uint32_t, 5> extent{};
  uint32_t rows = 0;      ///< product of the outer extents
  uint32_t globalRow = 0; ///< bytes of an inner row in global memory
  uint32_t sharedRow = 0; ///< bytes of an inner row in shared memory
  /// Bytes between the starts of two rows in shared memory: the row, or the
  /// span of the swizzle where the row is narrower.
  uint32_t sharedPitch = 0;
  uint32_t sharedBytes = 0; ///< from the box's start to its end, gaps included
  uint32_t denseBytes = 0;  ///< all rows without gaps
  uint32_t transaction = 0; ///< bytes that complete_tx counts: no padding
};

/// Shape of the box; four rows of one inner box for gather4 and scatter4.
BoxShape boxShape(const TensorMapDesc &map, bool fourRows = false);

/// Checks what only the instruction can violate: the first coordinate, negative
/// coordinates of a store, the box of gather4. Empty if all is well.
std::string checkPosition(const TensorMapDesc &map, const BoxPosition &position,
                          bool load);

/// A piece of an inner row that is inside of the tensor.
struct BoxRow {
  uint64_t global = 0;  ///< address of its first byte
  uint32_t bytes = 0;   ///< in global memory, 0: the whole row is outside
  uint32_t skipped = 0; ///< bytes of the row before it that are outside
};

/// Whether a copy reads the tensor or writes it: loads end at the last element
/// of a row, stores and reductions at the 16 bytes that hold it.
enum class BoxAccess : uint8_t { Load, Store };

/// The inner rows of the box in the order of the dense layout.
std::vector<BoxRow> boxRows(const TensorMapDesc &map,
                            const BoxPosition &position, BoxAccess access);

/// Returns host memory for global bytes, or null.
using ReadGlobal =
    std::function<const uint8_t *(uint64_t address, uint64_t bytes)>;
using WriteGlobal = std::function<uint8_t *(uint64_t address, uint64_t bytes)>;

/// An access that the callback refused.
struct BoxFault {
  bool faulted = false;
  uint64_t address = 0;
  uint64_t bytes = 0;
};

/// Fills `dense` (denseBytes long) for a load: elements inside of the tensor,
/// those of tf32 maps rounded, the others with the map's fill value.
BoxFault loadBox(const TensorMapDesc &map, const BoxPosition &position,
                 const ReadGlobal &read, std::vector<uint8_t> &dense);

/// Both steps of a load at once, from global into shared memory (scatterBox),
/// where the whole box is inside of the tensor and its bytes stay as they are.
/// Returns false, with nothing done, for any other.
bool copyBox(const TensorMapDesc &map, const BoxPosition &position,
             const ReadGlobal &read, uint32_t address, uint8_t *window);

/// What a store does with bytes of the box; reductions are not plain copies.
using StoreBytes =
    std::function<void(uint8_t *to, const uint8_t *from, uint32_t bytes)>;

/// Writes the elements of `dense` that are inside of the tensor, and those that
/// share their last 16 bytes of a row with one, through `store` if it is given.
BoxFault storeBox(const TensorMapDesc &map, const BoxPosition &position,
                  const WriteGlobal &write, const std::vector<uint8_t> &dense,
                  const StoreBytes &store = nullptr);

/// The shared address of a byte that a store of the box at `address` writes to
/// the tensor and that satisfies `matches`; 0 if there is none.
uint32_t findStored(const TensorMapDesc &map, const BoxPosition &position,
                    uint32_t address,
                    const std::function<bool(uint32_t)> &matches);

/// Copies between the dense box and shared memory: `window` points to the byte
/// at absolute shared address `address`, where the box starts.
void scatterBox(TensorMapSwizzle swizzle, const BoxShape &shape,
                uint32_t address, const std::vector<uint8_t> &dense,
                uint8_t *window);
void gatherBox(TensorMapSwizzle swizzle, const BoxShape &shape,
               uint32_t address, const uint8_t *window,
               std::vector<uint8_t> &dense);

/// Calls visit(address, bytes) for the ranges of shared memory that a box at
/// `address` covers: one, unless its rows leave gaps.
template <class Visit>
void forEachSharedRange(TensorMapSwizzle swizzle, const BoxShape &shape,
                        uint32_t address, const Visit &visit) {
  if (shape.sharedPitch == shape.sharedRow)
    return visit(address, shape.sharedBytes);
  for (uint32_t r = 0; r < shape.rows; ++r)
    for (uint32_t i = 0; i < shape.sharedRow; i += 16)
      visit(swizzleAddress(swizzle, address + r * shape.sharedPitch + i) & ~15u,
            16u);
}

} // namespace tc::emu

#endif // TC_EMULATOR_ENGINES_TMA_TMABOX_H
