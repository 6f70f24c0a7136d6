//===- UnitModel.h - a matrix unit to a configuration -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What configurations, their checks and the model of time ask of a matrix unit,
// without IR. The only place that knows how units differ.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SCHEDULE_UNITMODEL_H
#define TC_SCHEDULE_UNITMODEL_H

#include "tc/Schedule/MatmulConfig.h"
#include "tc/Schedule/ModelConstants.h"

namespace tc::schedule {

/// What of a unit is data. A value of a field that is not listed is refused.
struct UnitFacts {
  /// As configurations write it, with underscores between words.
  llvm::StringLiteral name;
  /// Values of fields that are lowered for it.
  llvm::ArrayRef<TileScheduler> schedulers;
  llvm::ArrayRef<Epilogue> epilogues;
  llvm::ArrayRef<Roles> roles;
  /// Kinds of operands that it multiplies.
  llvm::ArrayRef<MmaKindFacts> kinds;
  /// CTAs that one instruction can span.
  int64_t maxCtaGroup = 1;
  /// CTAs of the largest cluster whose CTAs share loads by multicast.
  int64_t maxClusterCtas = 1;
  /// Bits of the elements that it reads adjacent along M or N, too; 0: of all
  /// that its kinds do (hasMmaTranspose of MmaTypes.h).
  int64_t transposedBits = 0;
  /// Whether it reads elements of 4 and 6 bits, which TMA unpacks to 8.
  bool takesUnpacked = false;
  /// Whether it multiplies a sparse A.
  bool takesSparse = false;
  /// Whether the MMA warps wait for the slot of each K-block, so that longer
  /// ones may pay.
  bool waitsForBlocks = false;
  /// Whether the MMA warps wait for products, and may do so after they have
  /// issued those of the next K-block.
  bool releasesLate = false;
  /// Whether it may say when A has been read, before products are done.
  bool completesReads = false;
};

/// How the unit works through a K-block, as far as the model of time asks.
struct BlockWork {
  /// Instructions of a step of K that follow each other along M.
  double instructions;
  /// Warpgroups that multiply: a single one leaves the unit idle while it
  /// waits.
  int64_t warpgroups;
  /// How many times B is read from shared memory.
  int64_t readers;
};

/// A matrix unit. `config` is one whose unit it is; a tile, where a function
/// takes one, is set.
class UnitModel {
public:
  using Error = std::optional<std::string>;

  virtual ~UnitModel();

  virtual const UnitFacts &getFacts() const = 0;
  virtual const ModelConstants &getConstants() const = 0;
  /// Whether `target` has it.
  virtual bool isOn(const TargetFacts &target) const = 0;
  /// Fraction bits, below that of the largest one, with which it adds the
  /// products of a step and the sum so far. Where they are fewer than f32 has,
  /// the sum is truncated to as many.
  virtual int64_t getSumFractionBits(MmaKindFacts kind) const;

  //===--------------------------------------------------------------------===//
  // What is legal
  //===--------------------------------------------------------------------===//

  /// N of an instruction that spans `ctaGroup` CTAs, without the exceptions
  /// that integers have.
  virtual ExtentRange getInstructionN(MmaKindFacts kind,
                                      int64_t ctaGroup) const = 0;
  /// K of an instruction, of a sparse A that of B: 32 bytes of a row unless the
  /// unit has more.
  virtual int64_t getInstructionK(const MatmulConfig &config,
                                  const MatmulProblem &problem) const;
  /// The rows that a tile may have, the fewest first, where no CTAs share its
  /// operands; and what decides them, for diagnostics.
  virtual std::vector<int64_t> getTileM(const MatmulConfig &config,
                                        const MatmulProblem &problem) const = 0;
  virtual std::string explainTileM(const MatmulConfig &config,
                                   const MatmulProblem &problem) const = 0;
  /// The fewest columns of an accumulator that the epilogue reads at a time.
  virtual int64_t getMinRead(const MatmulConfig &config,
                             const MatmulProblem &problem) const;
  /// Which field that is set the unit has no choice in; nothing if none.
  virtual Error findFieldError(const MatmulConfig &config,
                               const MatmulProblem &problem) const = 0;
  /// Why it does not multiply the operands of `problem`, of a kind that it
  /// knows, on `machine`; nothing if it does.
  virtual Error findOperandError(const MatmulProblem &problem,
                                 const Machine &machine) const;

  //===--------------------------------------------------------------------===//
  // Threads and registers
  //===--------------------------------------------------------------------===//

  /// Threads that hold or read the accumulator, and that roles add to issue
  /// multiplications.
  virtual int64_t getAccumulatorThreads(const MatmulConfig &config) const = 0;
  virtual int64_t getIssueThreads() const { return 0; }
  /// Rows of an accumulator of `tileM` x `tileN` that each warp holds.
  virtual int64_t getWarpRows(int64_t tileM, int64_t tileN) const;
  /// See getRegisterEstimate. Candidates are tried before all fields are
  /// chosen: what is open counts as the least, so that none is lost.
  virtual int64_t getRegisterEstimate(const MatmulConfig &config,
                                      const MatmulProblem &problem) const = 0;
  /// What accumulators and sums exceed where a thread that holds them has
  /// `most` registers; nothing if they fit.
  virtual Error findRegisterError(const MatmulConfig &config,
                                  const MatmulProblem &problem,
                                  const Machine &machine,
                                  int64_t most) const = 0;

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// Columns of Tensor Memory that a multiprocessor has for it.
  virtual int64_t getTmemColumns(const TargetFacts &) const { return 0; }
  /// Its Tensor Memory, of a configuration with a tile and accumulator stages.
  virtual TmemBudget getTmemBudget(const MatmulConfig &config,
                                   const MatmulProblem &problem) const;
  /// mbarriers of its accumulators and of what is copied for it, and its static
  /// shared memory, in bytes.
  virtual int64_t getBarriers(const MatmulConfig &config,
                              const MatmulProblem &problem) const;
  virtual int64_t getStaticSmem() const { return 0; }
  /// How a complete configuration exceeds such memory; nothing if it fits.
  virtual Error findMemoryError(const MatmulConfig &config,
                                const MatmulProblem &problem,
                                const Machine &machine) const;

  //===--------------------------------------------------------------------===//
  // What is chosen
  //===--------------------------------------------------------------------===//

  /// The rows with which the search for a tile begins, and those up to which it
  /// goes on where they are legal.
  virtual int64_t getUsualTileM(const MatmulConfig &config,
                                const MatmulProblem &problem) const;
  virtual int64_t getMostTileM(const MatmulConfig &config,
                               const MatmulProblem &problem) const {
    return getUsualTileM(config, problem);
  }
  /// Chooses what is open of the stages of accumulators and of what is copied
  /// for the unit, for a tile and roles.
  virtual void chooseStages(MatmulConfig &config, const MatmulProblem &problem,
                            const Machine &machine) const = 0;
  /// The widest epilogue subtile that is worth its registers: a power of two.
  virtual int64_t getWidestSubtile(const MatmulProblem &problem) const = 0;

  //===--------------------------------------------------------------------===//
  // How long it takes
  //===--------------------------------------------------------------------===//

  virtual BlockWork getBlockWork(const MatmulConfig &config) const = 0;
  /// Rows that the epilogue takes the time of.
  virtual int64_t getEpilogueRows(const MatmulConfig &config) const = 0;
};

/// A unit whose accumulator is in the registers of the warps that multiply: 16
/// rows for each warp, or more.
class RegisterUnitModel : public UnitModel {
public:
  std::vector<int64_t> getTileM(const MatmulConfig &config,
                                const MatmulProblem &problem) const override;
  std::string explainTileM(const MatmulConfig &config,
                           const MatmulProblem &problem) const override;
  Error findFieldError(const MatmulConfig &config,
                       const MatmulProblem &problem) const override;
  int64_t getAccumulatorThreads(const MatmulConfig &config) const override;
  int64_t getRegisterEstimate(const MatmulConfig &config,
                              const MatmulProblem &problem) const override;
  Error findRegisterError(const MatmulConfig &config,
                          const MatmulProblem &problem, const Machine &machine,
                          int64_t most) const override;
  void chooseStages(MatmulConfig &config, const MatmulProblem &problem,
                    const Machine &machine) const override;
  int64_t getWidestSubtile(const MatmulProblem &problem) const override;
  BlockWork getBlockWork(const MatmulConfig &config) const override;
  int64_t getEpilogueRows(const MatmulConfig &config) const override;

protected:
  /// Rows of the accumulator that each warp of `config` holds: where warpgroups
  /// take turns, each has the whole tile of its turn.
  int64_t getHeldRows(const MatmulConfig &config) const;
  /// Rows of one instruction.
  virtual int64_t getInstructionM() const = 0;
  /// Warps, or groups of them, that read all of B.
  virtual int64_t getReaders(const MatmulConfig &config) const = 0;
  /// Registers beside the accumulator, of operands on their way, and what is
  /// read beside them.
  virtual int64_t getOperandRegisters(const MatmulConfig &config,
                                      const MatmulProblem &problem) const;
};

//===----------------------------------------------------------------------===//
// What models are written with
//===----------------------------------------------------------------------===//

/// "<field> of <value>: expected <expected>".
std::string mismatch(const std::string &field, const std::string &value,
                     const std::string &expected);
/// The same of a field with one legal value, and why.
std::optional<std::string> findFixedError(const std::string &field,
                                          std::optional<int64_t> value,
                                          int64_t legal,
                                          const std::string &reason);

/// "1 stage", "7 stages".
std::string counted(int64_t number, const std::string &what);

/// Registers of a thread for addresses and loops, where nothing more is known.
constexpr int64_t kAddressRegisters = 24;

/// Bytes of the scale factors of one slot: those of the CTA's rows of A, and of
/// all columns of B, which both CTAs of a pair read, in whole blocks of 128
/// rows and 4 factors (PTX ISA, "Scale Factor A ID / Scale Factor B ID").
int64_t getScaleBytes(const MatmulConfig &config, const MatmulProblem &problem);
/// Bytes of the metadata of one slot: that of the CTA's rows, in whole blocks.
int64_t getMetadataBytes(const MatmulConfig &config,
                         const MatmulProblem &problem);

/// The registers of all threads of `config`, and of those that hold an
/// accumulator, which ptxas could only spill.
std::optional<std::string> findThreadRegisterError(const MatmulConfig &config,
                                                   const MatmulProblem &problem,
                                                   const Machine &machine);

} // namespace tc::schedule

#endif // TC_SCHEDULE_UNITMODEL_H
