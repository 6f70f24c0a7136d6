//===- Target.h - facts about the hardware ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes, alignments and legal shapes of the targets, once and as data, with the
// section of the PTX ISA that states them. Passes and verifiers ask here; none
// holds a number of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_TARGET_H
#define TC_SUPPORT_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace tc {

//===----------------------------------------------------------------------===//
// Tensor Memory (PTX ISA, "Tensor Memory")
//===----------------------------------------------------------------------===//

/// Lanes of the Tensor Memory of one CTA.
constexpr int64_t kTmemLanes = 128;
/// Rows of a tile of two accumulators of all lanes, one next to the other.
constexpr int64_t kTallRows = 2 * kTmemLanes;
/// Columns of the Tensor Memory of one CTA that every chip has; one column of
/// one lane is a 32-bit cell. An allocation has no more, but for an exclusive
/// one.
constexpr int64_t kTmemColumns = 512;
/// The most columns of all chips (TargetFacts::tmemColumns).
constexpr int64_t kTmemMostColumns = 576;
/// Lanes that one warp of a warpgroup reaches with tcgen05.ld and tcgen05.st.
constexpr int64_t kTmemWindowLanes = 32;
/// Smallest allocation, in columns; allocations are powers of two, exclusive
/// ones multiples of it.
constexpr int64_t kTmemMinAllocation = 32;
/// In a Tensor Memory address the lane starts at this bit.
constexpr unsigned kTmemLaneShift = 16;

/// The smallest number of columns that tcgen05.alloc takes and that holds
/// `columns`; none above 512.
std::optional<int64_t> getTmemAllocation(int64_t columns);

/// What tcgen05.alloc is asked for.
struct TmemAllocation {
  int64_t columns;
  /// With .exclusive: the only one of its multiprocessor (PTX ISA 9.4,
  /// "tcgen05.alloc").
  bool exclusive = false;
};
/// The smallest allocation of at least `columns` on a chip with `available`
/// columns, exclusive only where no other one is large enough; none above
/// `available`.
std::optional<TmemAllocation> findTmemAllocation(int64_t columns,
                                                 int64_t available);

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Alignment in bytes of dynamic shared memory that LLVM and the driver
/// promise. Tiles need more: their base is aligned by hand and the padding is
/// counted (getDynamicSmemBytes).
constexpr int64_t kDynamicSmemAlignment = 16;
/// Static shared memory for the address that tcgen05.alloc writes: one word,
/// padded to where dynamic shared memory starts.
constexpr int64_t kTmemSlotBytes = kDynamicSmemAlignment;
/// Alignment in bytes of a TMA destination without swizzle.
constexpr int64_t kTmaSmemAlignment = 128;
/// Size and alignment of an mbarrier object in bytes.
constexpr int64_t kMBarrierBytes = 8;
/// Largest arrival count and transaction count of an mbarrier.
constexpr int64_t kMBarrierMaxCount = (int64_t(1) << 20) - 1;
/// Size and alignment in bytes of the response of clusterlaunchcontrol.
constexpr int64_t kLaunchResponseBytes = 16;
/// Largest extent of a TMA box.
constexpr int64_t kTmaMaxBox = 256;
/// Size in bytes and alignment of a tensor map.
constexpr int64_t kTensorMapBytes = 128;
constexpr int64_t kTensorMapAlignment = 64;
/// Global strides and box rows are multiples of this many bytes.
constexpr int64_t kTmaGranularity = 16;
/// The same of elements of 4 and 6 bits that TMA unpacks to 16 in 16 bytes, the
/// extent of a row of a box of them, and what rows are multiples of (CUDA
/// driver API, cuTensorMapEncodeTiled, 16U4_ALIGN16B and 16U6_ALIGN16B).
constexpr int64_t kTmaUnpackedGranularity = 32;
constexpr int64_t kTmaUnpackedBox = 128;

/// Bytes of dynamic shared memory that a launch asks for so that `bytes` fit
/// after a base aligned to `alignment`, wherever the driver puts the base.
int64_t getDynamicSmemBytes(int64_t bytes, int64_t alignment);

//===----------------------------------------------------------------------===//
// tcgen05.mma (PTX ISA, "Matrix Shape")
//===----------------------------------------------------------------------===//

/// The kinds of tcgen05.mma, in the order of the ISA's tables.
enum class MmaKindFacts {
  F16,
  TF32,
  F8F6F4,
  I8,
  MXF8F6F4,
  MXF4,
  MXF4NVF4,
  TI16
};

/// The range of N of an instruction: first, first + step, ... , last.
struct ExtentRange {
  int64_t first;
  int64_t last;
  int64_t step;

  /// Whether `extent` is in the range.
  bool contains(int64_t extent) const;
  /// The value in the range next to `extent`.
  int64_t nearest(int64_t extent) const;
};

/// The name of `kind` in PTX: f16, tf32, ...
llvm::StringRef getName(MmaKindFacts kind);
/// K of one dense instruction of `kind`: 32 bytes of a row.
int64_t getMmaK(MmaKindFacts kind);
/// The same of an instruction that reads 64 bytes of a row (PTX ISA 9.4,
/// 9.7.18.2.1 "Matrix Shape"); 0 where the kind has none.
int64_t getWideMmaK(MmaKindFacts kind);
/// The legal M of a dense instruction: of the CTA, or of the pair. MmaShapes.h
/// has the table, with all other forms.
llvm::ArrayRef<int64_t> getMmaM(MmaKindFacts kind, int ctaGroup);
/// The legal N of a dense instruction with `ctaGroup`. `kind` i8 has further
/// values below 32 (isLegalMmaN).
ExtentRange getMmaN(MmaKindFacts kind, int ctaGroup);
/// Whether N is legal, the exceptions of kind i8 included.
bool isLegalMmaN(MmaKindFacts kind, int ctaGroup, int64_t n);
/// The legal N next to `n`.
int64_t getNearestMmaN(MmaKindFacts kind, int ctaGroup, int64_t n);
/// Whether the kind takes scale factors.
bool isBlockScaled(MmaKindFacts kind);
/// Rows of A, or columns of B, whose scale factors one tile of them holds, and
/// the blocks of K (PTX ISA, "Scale Factor A ID").
constexpr int64_t kScaleRows = 128;
constexpr int64_t kScaleBlocks = 4;
/// Such a tile in global and shared memory, 512 bytes: 32 rows, the 4 rows of
/// the tile that are 32 apart, 4 blocks of K. cuBLAS and CUTLASS store factors
/// so, tcgen05.cp.32x128b.warpx4 copies them to Tensor Memory in this order.
constexpr int64_t kScaleTileShape[] = {32, kScaleRows / 32, kScaleBlocks};
constexpr int64_t kScaleTileBytes = kScaleRows * kScaleBlocks;
/// Elements along a lane that such a tile takes in Tensor Memory.
constexpr int64_t kScaleTileColumns = kScaleRows / 32 * kScaleBlocks;
/// Whether the kind can negate its inputs.
bool hasNegate(MmaKindFacts kind);

//===----------------------------------------------------------------------===//
// wgmma.mma_async (PTX ISA 9.0, 9.7.15.2 "Matrix Shape")
//===----------------------------------------------------------------------===//

/// Threads of a warpgroup, which execute wgmma together.
constexpr int64_t kWarpgroupThreads = 128;
/// Threads of a warp (PTX ISA, "Cooperative Thread Arrays").
constexpr int64_t kWarpThreads = 32;
/// M of every instruction.
constexpr int64_t kWgmmaM = 64;
/// The most rows of an accumulator that a warpgroup holds: those of so many
/// instructions.
constexpr int64_t kWgmmaMaxRows = 4 * kWgmmaM;
/// Whether a warpgroup may hold so many rows.
constexpr bool isWgmmaRows(int64_t rows) {
  return rows > 0 && rows <= kWgmmaMaxRows && rows % kWgmmaM == 0;
}
/// Rows, columns and bits of the elements of a matrix of stmatrix (PTX ISA,
/// "Warp-level matrix store instruction: stmatrix"), and matrices that one
/// instruction stores at most.
constexpr int64_t kMatrixRows = 8;
constexpr int64_t kMatrixBits = 16;
constexpr int64_t kMatrixCount = 4;
/// Bytes of a row of A, or of a column of B, that one instruction multiplies.
constexpr int64_t kWgmmaKBytes = 32;
/// The legal N of the floating-point types, and of integers, which have 8 and
/// 24, too.
constexpr ExtentRange kWgmmaN{8, 256, 8};
constexpr ExtentRange kWgmmaIntegerN{16, 256, 16};
constexpr int64_t kWgmmaNarrowIntegerN[] = {8, 24};
/// Groups that may be pending after wgmma.wait_group (PTX ISA,
/// "wgmma.wait_group").
constexpr int64_t kWgmmaMaxPending = 7;

//===----------------------------------------------------------------------===//
// mma.sync (PTX ISA 9.0, 9.7.14.5 "Matrix multiply-accumulate operation using
// mma instruction")
//===----------------------------------------------------------------------===//

/// M and N of the instructions m16n8k*, whose K is 32 bytes of a row. Their
/// accumulators, one beside the other, are the 16 rows of a warp of that of
/// wgmma.
constexpr int64_t kMmaSyncM = 16;
constexpr int64_t kMmaSyncN = 8;
constexpr int64_t kMmaSyncKBytes = 32;

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

/// How many CTAs of a device are resident at a time, in clusters of so many,
/// each CTA with a multiprocessor of its own. A cluster is inside one GPC,
/// whose multiprocessors are not always a multiple of it.
struct ResidentCtas {
  int64_t clusterCtas;
  int64_t ctas;
};

/// One target that ptxas knows.
struct TargetFacts {
  llvm::StringRef chip;
  /// What else people call it, for a hint: products and generations, small
  /// letters and digits alone.
  llvm::StringRef names;
  /// Smallest PTX version with the target, as `86` for 8.6.
  unsigned ptxVersion;
  /// Dynamic shared memory that one CTA can have, in bytes.
  int64_t maxDynamicSmem;
  /// Multiprocessors of the device that the target is chosen for (B200, H200,
  /// GeForce RTX 5090, GB10, A100, GeForce RTX 3090 and 4090);
  /// 0 where no one device can be named.
  int64_t multiprocessors;
  /// Whether the instructions of sm_90 exist: bulk copies (TMA), clusters,
  /// elect.sync, mbarrier.try_wait, stmatrix.
  bool hasTma;
  /// Whether mma.sync of fp8, and conversions to it, exist (sm_89).
  bool hasFloat8;
  /// Whether the block-scaled kinds of mma.sync exist.
  bool hasScaledMmaSync;
  /// Whether wgmma exists.
  bool hasWgmma;
  /// Whether clusterlaunchcontrol exists, with multicast.
  bool hasClusterLaunchControl;
  /// Whether tcgen05 and TMEM exist.
  bool hasTcgen05;
  /// Whether NVVM of LLVM 22 lets the tcgen05 operations pass.
  bool nvvmAcceptsTcgen05;
  /// Sizes of clusters of which fewer CTAs than multiprocessors are resident,
  /// ascending; empty where no device was asked.
  llvm::ArrayRef<ResidentCtas> residentCtas = {};
  /// The chip as which LLVM 22 compiles, where it does not know this one: its
  /// instructions are some of this one's.
  llvm::StringRef llvmChip = {};
  /// Columns of Tensor Memory, where there is any.
  int64_t tmemColumns = kTmemColumns;
  /// Dynamic shared memory that a CTA can have in the mode that is not
  /// oversized (launch attribute SHARED_MEMORY_MODE); 0: there is one mode.
  int64_t smallDynamicSmem = 0;
  /// Whether masks may name 32 CTAs, and TMA takes a tensor's address and sizes
  /// from an instruction and reports what it finds (PTX ISA 9.4, 9.7.10.28).
  bool hasTmaOverrides = false;

  /// Whether cvt takes pairs of f16 and bf16 to fewer bits (PTX 9.1), and 8
  /// bits to bf16 (PTX 9.2), where tcgen05 is.
  bool convertsHalves() const { return hasTcgen05 && ptxVersion >= 92; }

  /// Bits of a byte address of shared memory of which a matrix descriptor holds
  /// the upper ones (PTX ISA 9.4, 9.7.18.4.1 "Shared memory descriptor").
  unsigned getSmemAddressBits() const {
    return maxDynamicSmem > int64_t(1) << 18 ? 19 : 18;
  }
};
/// The latest PTX version that LLVM 22 prints, as `90` for 9.0.
constexpr unsigned kLLVMPtxVersion = 90;

/// The facts of `chip`, or null.
const TargetFacts *getTarget(llvm::StringRef chip);
/// The target that somebody may mean who writes `name`: a chip without its
/// suffix ("sm_90"), a product ("H100") or a generation ("hopper"); or null.
const TargetFacts *findTargetLike(llvm::StringRef name);
/// The first of compute capability `major`.`minor`, or null.
const TargetFacts *getTarget(int major, int minor);
/// All known targets.
llvm::ArrayRef<TargetFacts> getTargets();

} // namespace tc

#endif // TC_SUPPORT_TARGET_H
