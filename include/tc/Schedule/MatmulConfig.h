//===- MatmulConfig.h - configurations of a matmul --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data: a problem, a machine and a configuration, without IR. Says
// whether a configuration can be lowered and fits the machine. Which one is
// fast is the matter of MatmulModel.h.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SCHEDULE_MATMULCONFIG_H
#define TC_SCHEDULE_MATMULCONFIG_H

#include "tc/Schedule/ConfigFields.h"
#include "tc/Support/Target.h"
#include "tc/Support/Units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tc::schedule {

/// The largest M, N and K. Coordinates are numbers of 32 bits with a sign,
/// those of tiles that end past a matrix too: 16 CTAs of 256 rows or columns.
constexpr int64_t kMaxSize = (int64_t(1) << 31) - 16 * 256;

/// Whether TMA can store D.
enum class TmaStore {
  /// Whenever its loads of A and B are possible.
  Possible,
  /// Where D's rows, strides and offset, dynamic, are multiples of 16 bytes,
  /// which the host has to check.
  Checked,
  /// Never: MatmulProblem::storeObstacle says why.
  Impossible
};

/// How the rows of A or B are placed in global memory.
struct OperandRows {
  /// Why TMA cannot load tiles of it, for diagnostics; empty: it can, where
  /// the host has checked what is dynamic.
  std::string tmaObstacle = {};
  /// Why no threads can load tiles of it: only TMA can; empty: they can.
  std::string threadObstacle = {};
  /// Bytes of which the starts of all rows are known to be multiples, a power
  /// of two up to 16; of those that are not dynamic, if `isKnown` is false.
  int64_t alignment = 16;
  bool isKnown = true;
  /// The widest swizzle, in bytes, whose rows are one piece of memory each: of
  /// the windows of images, the channels of one element.
  int64_t swizzle = 128;
  /// Why it is not 128, for diagnostics.
  std::string swizzleReason = {};
};

/// What is multiplied: D (M x N) = A (M x K) * B (K x N).
struct MatmulProblem {
  /// Sizes in elements, where they are known.
  std::optional<int64_t> m, n, k;
  /// Problems of this size that one launch computes, where it is known.
  std::optional<int64_t> batch = 1;
  /// Whether only the device knows which rows the problems have: `m` is what
  /// they have in the mean, or at most.
  bool isRagged = false;
  /// The kind of the operands, and the bits of an element of A and B in shared
  /// memory.
  MmaKindFacts kind = MmaKindFacts::F16;
  int64_t inputBits = 16;
  /// Elements of K after which threads add the sum of products to sums that
  /// they hold in registers, so that a K-block has an accumulator of its own;
  /// 0: they read it once, at the end.
  int64_t promotedK = 0;
  /// Whether they multiply it by a factor for each column.
  bool hasColumnFactors = false;
  /// Columns of B that share a factor, where those are more than one.
  int64_t factorColumns = 0;
  /// Whether TMA unpacks elements of A or B to these bits.
  bool isUnpacked = false;
  /// Whether A is sparse: half of each row is stored, with metadata.
  bool isSparse = false;
  /// Whether the chip multiplies 64 bytes of a row by an instruction, where
  /// the unit and the tile permit that.
  bool hasWideK = false;
  /// Whether the unit can take B from where the instruction before kept it, and
  /// say when it has read A.
  bool keepsB = false;
  bool completesReads = false;
  /// Bits of an element of D.
  int64_t outputBits = 16;
  /// Elements of a row of D that share a scale factor, which a thread holds
  /// together; 1: D has none.
  int64_t scaleBlockD = 1;
  /// Whether threads convert elements of 8 and fewer bits from or to floats.
  bool convertsFloat8 = false;
  /// Whether the epilogue carries a subtile of f32 from columns to columns: the
  /// largest elements so far.
  bool carriesSubtile = false;
  /// A is stored K x M, so that its rows run along M.
  bool transposeA = false;
  /// B is stored N x K, so that its rows run along K.
  bool transposeB = false;
  OperandRows rowsA = {}, rowsB = {};
  TmaStore tmaStore = TmaStore::Possible;
  /// Whether that is so only where TMA loads B.
  bool storesWithB = false;
  /// Why TMA cannot store D, for diagnostics: "D ...".
  std::string storeObstacle = {};
  /// Whether the chip has TMA.
  bool hasTma = true;
  /// Why K cannot be cut into parts, for diagnostics; empty: it can.
  std::string splitObstacle = {};
  /// Parts of K, each a problem of the batch: what a kernel multiplies where
  /// `split-k` is more than 1 (getKernelProblem).
  int64_t splitK = 1;
  /// Bits of an element of what another kernel makes of their sums.
  int64_t finalBits = 0;
};

/// Most parts of K: the kernel that adds their sums has a pointer for each.
constexpr int64_t kMaxSplitK = 32;

/// What a kernel of `config` multiplies: `problem`, or the parts of its K as
/// problems of a batch, with D in 32 bits. Of such a problem the same.
MatmulProblem getKernelProblem(const MatmulConfig &config,
                               const MatmulProblem &problem);

/// The K-blocks of `problem`, whose K is known; 0 where the last one is not
/// whole. An open K-block has a swizzle row.
int64_t countBlocks(const MatmulConfig &config, const MatmulProblem &problem);

/// Why K of `problem` cannot be cut into the parts that `config` says; nothing
/// if it can.
std::optional<std::string> findSplitError(const MatmulConfig &config,
                                          const MatmulProblem &problem);

/// What the kernel runs on.
struct Machine {
  /// What is known of its chip; null in tests of what no chip limits.
  const TargetFacts *target = nullptr;
  /// Its matrix units, the one that is preferred first.
  llvm::SmallVector<MatrixUnit, 2> units;
  /// Whether it has TMA, and the other instructions of sm_90.
  bool hasTma = true;
  /// Whether it multiplies fp8.
  bool hasFloat8 = true;
  /// Whether mma.sync takes scale factors.
  bool hasScaledMmaSync = false;
  /// Whether CTAs can steal the work of clusters that have not been launched.
  bool hasClusterLaunchControl = false;
  /// Multiprocessors of the whole device; each holds one CTA of a kernel.
  int64_t sms = 0;
  /// Where clusters leave multiprocessors idle.
  llvm::ArrayRef<ResidentCtas> residentCtas;
  /// Shared memory that one CTA can have, in bytes.
  int64_t smemBytes = 0;
  /// Columns of 32-bit cells in the Tensor Memory of one multiprocessor.
  int64_t tmemColumns = 0;
  /// Whether its instructions can read 64 bytes of a row, take B from where the
  /// one before kept it, and say when they have read A.
  bool hasWideK = false;
  bool keepsB = false;
  bool completesReads = false;
  /// 32-bit registers of one multiprocessor, and the most of one thread.
  int64_t registers = 0;
  int64_t threadRegisters = 0;

  /// The machine of `target`, whose matrix units are those of `units` that it
  /// has.
  static Machine get(const TargetFacts &target, const UnitRegistry &units);

  /// The unit of `problem` where a configuration names none: the first that
  /// multiplies its operands, else the first.
  MatrixUnit getUnit(const MatmulProblem &problem) const;

  /// Clusters of `ctas` that are resident at a time.
  int64_t getResidentClusters(int64_t ctas) const;
};

/// Says in `problem` what `machine` can do with it, and what it cannot: without
/// TMA nothing is loaded or stored by it.
void limitToMachine(MatmulProblem &problem, const Machine &machine);

/// Whether the unit of `config` reads A, or B, adjacent along K alone, and it
/// is stored adjacent along M or N: threads turn its tiles as they load them,
/// as TMA cannot.
bool turnsA(const MatmulConfig &config, const MatmulProblem &problem);
bool turnsB(const MatmulConfig &config, const MatmulProblem &problem);

/// What loads the tiles of A and of B: as `config` says, else TMA, cp.async or
/// the threads, the first of them that the rows permit.
LoadEngine getLoadA(const MatmulConfig &config, const MatmulProblem &problem);
LoadEngine getLoadB(const MatmulConfig &config, const MatmulProblem &problem);

/// Bytes of one copy of cp.async of elements of `elementBytes` from rows as
/// `rows` says: of one element where tiles are turned.
int64_t getCopyBytes(const OperandRows &rows, int64_t elementBytes,
                     bool isTurned);

/// Shared memory of one CTA, in bytes.
struct SmemBudget {
  /// One slot of the ring: the CTA's rows of A and columns of B.
  int64_t stageA, stageB;
  /// The scale factors of one slot, of all rows and columns that the CTA's
  /// instructions read; 0 without.
  int64_t stageScales;
  /// The metadata of a sparse A; 0 without.
  int64_t stageMetadata;
  int64_t stage() const {
    return stageA + stageB + stageScales + stageMetadata;
  }
  /// What one more slot takes: its tiles and its two barriers.
  int64_t nextStage;
  /// All slots of the ring of store buffers.
  int64_t storeRing;
  /// All slots of the ring of answers to requests for work; 0 without.
  int64_t answers;
  /// The mbarriers: two for each slot of the other pipelines.
  int64_t barriers;
  /// What it costs to align the base to the largest swizzle pattern.
  int64_t alignment;
  /// The static word that tcgen05.alloc writes its address to; 0 without.
  int64_t tmemSlot;
  /// All of it.
  int64_t total;
};

/// The shared memory of `config`, whose tile, stages, accumulator stages and
/// swizzle must be set, and with a ring of store buffers its stages and the
/// epilogue subtile.
SmemBudget getSmemBudget(const MatmulConfig &config,
                         const MatmulProblem &problem);

/// The swizzle, in bytes, of a store buffer with rows of `columns` elements of
/// `elementBits` bits: the widest that a row fills, so that neighbouring rows
/// are in different banks. 0: none.
int64_t getStoreSwizzle(int64_t columns, int64_t elementBits);

/// Tensor Memory of one CTA, in columns.
struct TmemBudget {
  /// The accumulators, and the ring of scale factors and metadata.
  int64_t accumulators, scales, metadata;
  int64_t used() const { return accumulators + scales + metadata; }
  /// What is allocated (findTmemAllocation), or nothing.
  int64_t allocated;
};

/// The Tensor Memory of `config`, whose tile and accumulator stages must be
/// set, and with block-scaled operands the scale stages.
TmemBudget getTmemBudget(const MatmulConfig &config,
                         const MatmulProblem &problem);

/// Columns of an accumulator that threads read at a time where they add it to
/// sums of their own: as many as the sums leave registers for.
int64_t getPromotedColumns(const MatmulConfig &config);

/// The swizzle where none is chosen, in bytes: the pattern that is read
/// without bank conflicts.
constexpr int64_t kDefaultSwizzle = 128;

/// Rows of the smaller accumulator of one CTA, which fills half of the lanes of
/// Tensor Memory (data path layout F).
constexpr int64_t kHalfTileM = 64;

/// Whether a tile of `problem` may have that many rows: its instructions have
/// such an M, and where the rows of A run along M, they are whole rows of the
/// swizzle pattern (128 bytes where `config` does not set it).
bool hasHalfTile(const MatmulProblem &problem, const MatmulConfig &config);

/// The legal N of a tile for the fields of `config` that are set: multiples of
/// the step up to 256. Where the rows of B run along N, the columns that one
/// CTA loads are whole rows of the swizzle pattern (128 bytes where it is not
/// set).
ExtentRange getTileN(const MatmulProblem &problem, const MatmulConfig &config);
/// The legal M of a tile, and the legal K, for the fields of `config` that are
/// set, where no CTAs share its operands.
std::vector<int64_t> getTileM(const MatmulProblem &problem,
                              const MatmulConfig &config);
ExtentRange getTileK(const MatmulProblem &problem, const MatmulConfig &config);

/// Says which of the fields that are set the machine cannot do, or are not
/// lowered for it, and why; nothing if all can be.
std::optional<std::string> findMachineError(const MatmulConfig &config,
                                            const MatmulProblem &problem,
                                            const Machine &machine);

/// Says which of the fields that are set cannot be lowered and why, with the
/// nearest legal value; nothing if all can. The unit of `config` is set.
std::optional<std::string> findFieldError(const MatmulConfig &config,
                                          const MatmulProblem &problem);

/// The first of both, an open unit being the machine's first, and what no
/// kernel can do for the sizes of `problem`. Fields without such errors can be
/// completed (MatmulModel.h).
std::optional<std::string> findConfigError(const MatmulConfig &config,
                                           const MatmulProblem &problem,
                                           const Machine &machine);

/// Says how a configuration with every field set exceeds the machine, with the
/// bytes or columns needed and available; nothing if it fits.
std::optional<std::string> findResourceError(const MatmulConfig &config,
                                             const MatmulProblem &problem,
                                             const Machine &machine);

/// The registers that a thread of the epilogue of `config` needs, roughly: what
/// it holds of the subtile as read and as stored, of the accumulator where
/// that is in registers, and of the sums of K-blocks where it makes them, and
/// 24 for addresses and loops.
int64_t getRegisterEstimate(const MatmulConfig &config,
                            const MatmulProblem &problem);

/// When a thread with an accumulator in registers loads a subtile of matrices
/// for its epilogue.
enum class FetchTime {
  /// When it computes the subtile.
  Late,
  /// While it computes the one before.
  Ahead,
  /// So, and the first one before the tile is multiplied.
  Early
};

/// The earliest for which a thread of `config`, whose fields are all set, has
/// registers. It loads `bits` of each element with what it holds beside.
/// `hasTails`: some elements of a tile may be outside of D.
FetchTime getFetchTime(const MatmulConfig &config, const MatmulProblem &problem,
                       const Machine &machine, int64_t bits, bool hasTails);

/// Registers that a thread of `config` can be launched with.
int64_t getThreadRegisters(const MatmulConfig &config,
                           const MatmulProblem &problem,
                           const Machine &machine);

/// Registers of a thread of the load and matrix instruction roles where the
/// epilogue has more: both are short loops.
constexpr int64_t kRoleRegisters = 56;

/// The registers with which each thread of a kernel of `config` with roles is
/// launched, so that its epilogue registers for the epilogue's threads and
/// kRoleRegisters for the others come out of the same pool.
int64_t getLaunchRegisters(const MatmulConfig &config,
                           const MatmulProblem &problem);

/// Slots of the ring of answers to requests for work; 0 where `config` makes
/// none.
int64_t getAnswerSlots(const MatmulConfig &config);

/// Instances of the role that multiplies and stores with `roles`: two that take
/// turns in the tiles of a CTA, or one.
int64_t getTurns(std::optional<Roles> roles);

/// The threads of a kernel of `config`: four warps read an accumulator in
/// Tensor Memory, and roles add a warp for the loads and one for the matrix
/// instructions; a warpgroup for each 64 rows has one in its registers, or one
/// for each tile of those that take turns, and roles add a warp for the loads.
/// Of loads by threads there are kGatherWarps warps, besides or instead.
int64_t getThreads(const MatmulConfig &config, const MatmulProblem &problem);

} // namespace tc::schedule

#endif // TC_SCHEDULE_MATMULCONFIG_H
