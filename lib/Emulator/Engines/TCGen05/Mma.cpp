//===- Mma.cpp - checks of a tcgen05.mma that is issued ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes the descriptors of the operands and finds what the operation reads
// and writes.
//
//===----------------------------------------------------------------------===//

#include "Engines/TCGen05/Mma.h"

#include "Engines/TCGen05/Lookup.h"
#include "Engines/TCGen05/MmaOp.h"
#include "Engines/TCGen05/Sparse.h"
#include "State/Machine.h"

namespace tc::emu {

/// Lanes and columns of D in each CTA, without the lanes that are disabled.
static std::vector<TmemFootprint> footprintOfD(const MmaOp &op) {
  std::vector<TmemFootprint> footprints;
  TmemAddress d = TmemAddress::decode(op.values.d);
  for (const DataPathPart &part : op.parts) {
    TmemFootprint f;
    f.rank = op.evenRank + part.cta;
    f.column = d.column + part.column;
    f.columns = part.columns;
    for (unsigned lane : part.lanes) {
      unsigned bit = part.cta * tmemLanes + lane;
      bool disabled = bit / 32 < op.values.disabledLanes.size() &&
                      (op.values.disabledLanes[bit / 32] >> (bit % 32) & 1);
      if (!disabled)
        f.lanes.set(lane);
    }
    // Neighbouring columns of the same lanes make one footprint.
    if (!footprints.empty() && footprints.back().rank == f.rank &&
        footprints.back().lanes == f.lanes &&
        footprints.back().column + footprints.back().columns == f.column)
      footprints.back().columns += f.columns;
    else
      footprints.push_back(f);
  }
  return footprints;
}

/// `lanes` of `columns` columns from an address on, in each CTA.
static void addCells(std::vector<TmemFootprint> &reads, const MmaOp &op,
                     uint32_t address, unsigned columns,
                     const std::bitset<tmemLanes> &lanes) {
  for (unsigned cta = 0; cta < op.values.form.ctaGroup; ++cta) {
    TmemFootprint f;
    f.rank = op.evenRank + cta;
    f.column = TmemAddress::decode(address).column;
    f.columns = columns;
    f.lanes = lanes;
    reads.push_back(f);
  }
}

/// All lanes of them.
static void addColumns(std::vector<TmemFootprint> &reads, const MmaOp &op,
                       uint32_t address, unsigned columns) {
  addCells(reads, op, address, columns, std::bitset<tmemLanes>().set());
}

/// Work that still writes the operand when the MMA is issued has not been
/// waited for. `extent` counts the rows or columns in each CTA.
static Status checkNotInFlight(Cluster &cluster, const MmaOp &op,
                               const SmemOperand &operand, unsigned extent,
                               unsigned k) {
  unsigned group = op.values.form.ctaGroup;
  for (unsigned cta = 0; cta < group; ++cta) {
    unsigned rank = op.evenRank + cta;
    std::optional<uint32_t> at =
        findLimbo(cluster.cta(rank)->smem, operand, extent, k);
    if (!at)
      continue;
    const AsyncOp *writer = cluster.engine.findIf([&](const AsyncOp &other) {
      return other.writesShared(rank, *at, 16);
    });
    return Error{"operand " + std::string(operand.name) + ": byte at offset " +
                 std::to_string(*at) +
                 " is being written by asynchronous work that has not been "
                 "waited for" +
                 (writer ? ": " + writer->describe() : "")};
  }
  return {};
}

/// The instruction descriptor, whose K is that of B.
static Expected<InstructionDescriptor>
decodeInstruction(const MmaValues &values) {
  const MmaForm &form = values.form;
  Expected<InstructionDescriptor> desc =
      decodeInstructionDescriptor(form, values.instruction);
  if (!desc || !form.sparse)
    return desc;
  // A's row has 32 bytes as ever, which are half of its elements.
  desc->k *= 2;
  if (std::string why =
          checkSparse(form, *desc, TmemAddress::decode(values.metadata),
                      TmemAddress::decode(values.d).lane);
      !why.empty())
    return Error{why};
  return desc;
}

/// Where D is, and that it is allocated.
static Status setUpD(Cluster &cluster, MmaOp &op) {
  const MmaForm &form = op.values.form;
  const InstructionDescriptor &desc = op.desc;
  if (form.shiftA && desc.m / form.ctaGroup != tmemLanes)
    return Error{".ashift: expected M = 128 or 256, got " +
                 std::to_string(desc.m) +
                 " (PTX ISA 9.0, \"tcgen05.mma\", 9.7.16.10.9.1)"};
  op.layout = selectDataPath(form, desc.m);
  Expected<std::vector<DataPathPart>> parts =
      dataPathParts(op.layout, desc.m, desc.n, form.ctaGroup,
                    TmemAddress::decode(op.values.d).lane);
  if (!parts)
    return Error{"operand d, " + parts.error().message};
  op.parts = std::move(*parts);
  op.writes = footprintOfD(op);
  if (op.values.accumulate)
    op.reads = op.writes;
  op.accumulator = op.values.d;
  op.shape = desc.m << 16 | desc.n << 4 | static_cast<unsigned>(form.kind);
  for (const TmemFootprint &f : op.writes)
    if (std::string why =
            checkTmemColumns(cluster, f.rank, f.column, f.columns, "operand d");
        !why.empty())
      return Error{why};
  return {};
}

/// Rows without padding.
static void setUpPacked(const InstructionDescriptor &desc, bool looksUp,
                        SmemOperand &operand) {
  if (looksUp) {
    setUpIndices(operand);
    // What is looked up has the sign.
    operand.negate = false;
  } else {
    operand.packedBits = unsigned(formatInfo(operand.type.format).bits);
    operand.rowBytes = desc.k * operand.packedBits / 8;
  }
  operand.padded = false;
}

/// That the rows of an instruction with a wide K are where swizzling keeps them
/// whole.
static Status checkWideRows(const MmaForm &form,
                            const InstructionDescriptor &desc,
                            const SmemOperand &operand) {
  const unsigned bytes =
      operand.rowBytes ? operand.rowBytes : desc.k * operand.type.bits / 8;
  if (!desc.wide || operand.mnMajor || bytes <= 32 ||
      operand.descriptor.swizzle != SmemSwizzle::B32)
    return {};
  return Error{std::string(operand.name) +
               " descriptor, bits 61-63 (swizzle): expected 0 (none), 1 "
               "(128B, 32B atoms), 2 (128B) or 4 (64B) for rows of " +
               std::to_string(bytes) +
               " bytes of kind::" + std::string(toString(form.kind)) +
               ", got 6 (32B) (PTX ISA 9.4, \"Packing formats\", "
               "9.7.18.10.4)"};
}

static Status setUpSmemOperand(const MmaForm &form,
                               const InstructionDescriptor &desc, uint64_t bits,
                               const OperandType &type, bool transpose,
                               bool negate, std::string_view name,
                               SmemOperand &operand) {
  const bool looksUp = form.lookupB && name == "b";
  Expected<SmemDescriptor> descriptor =
      decodeSmemDescriptor(bits, name, form.hasWideK, looksUp);
  if (!descriptor)
    return descriptor.takeError();
  bool padded = form.kind == MmaKind::F8F6F4 || form.kind == MmaKind::MXF8F6F4;
  operand.descriptor = *descriptor;
  operand.type = type;
  operand.mnMajor = transpose;
  operand.negate = negate;
  operand.padded = padded && formatInfo(type.format).bits < 8;
  operand.name = name;
  if (looksUp || desc.packs(type))
    setUpPacked(desc, looksUp, operand);
  if (Status status = checkWideRows(form, desc, operand); !status)
    return status;
  return checkSwizzle(*descriptor, type, form.kind, transpose, name);
}

/// Where A and B are, and that no pending work writes them.
static Status setUpOperands(Cluster &cluster, MmaOp &op) {
  const MmaForm &form = op.values.form;
  const InstructionDescriptor &desc = op.desc;
  if (form.tmemA) {
    const unsigned laneOfD = TmemAddress::decode(op.values.d).lane;
    TmemAddress a = TmemAddress::decode(static_cast<uint32_t>(op.values.a));
    bool half = op.layout == DataPath::C || op.layout == DataPath::F;
    if (a.lane != (half ? laneOfD : 0))
      return Error{
          "operand a, lane of the address: expected " +
          std::to_string(half ? laneOfD : 0) + ", got " +
          std::to_string(a.lane) +
          " (PTX ISA 9.0, \"Data path layout organization\", 9.7.16.10.5)"};
    addColumns(op.reads, op, static_cast<uint32_t>(op.values.a),
               op.depthA() * op.containerA() / 32);
  } else if (Status status =
                 setUpSmemOperand(form, desc, op.values.a, desc.a,
                                  desc.transposeA, desc.negateA, "a", op.a);
             !status) {
    return status;
  }
  if (Status status =
          setUpSmemOperand(form, desc, op.values.b, desc.b, desc.transposeB,
                           desc.negateB, "b", op.b);
      !status)
    return status;
  if (!cluster.engine.poisons())
    return {};
  if (!form.tmemA)
    if (Status status = checkNotInFlight(cluster, op, op.a,
                                         desc.m / form.ctaGroup, op.depthA());
        !status)
      return status;
  return checkNotInFlight(cluster, op, op.b, op.columnsB(), desc.k);
}

/// Where sparse metadata, tables and scale factors are.
static Status setUpTmemOperands(MmaOp &op) {
  const MmaValues &values = op.values;
  const InstructionDescriptor &desc = op.desc;
  if (values.form.sparse)
    addColumns(op.reads, op,
               (values.metadata & 0xffff0000u) |
                   metadataColumn(desc, TmemAddress::decode(values.metadata)),
               metadataColumns(desc.a));
  if (values.form.lookupB) {
    const TmemAddress tables = TmemAddress::decode(values.tables);
    if (std::string why = checkTables(tables); !why.empty())
      return Error{why};
    addCells(op.reads, op, values.tables, tableColumns,
             lanesOfTables(tables, op.columnsB()));
  }
  if (!values.scalesPerRow)
    return {};
  if (std::string why = checkScales(values, desc); !why.empty())
    return Error{why};
  unsigned rows = desc.m / values.form.ctaGroup,
           columnsB = op.layout == DataPath::B ? desc.n / 2 : desc.n;
  // What is read of the last word of a row.
  auto countColumns = [&](unsigned count) {
    return (values.scalesPerRow - 1) / 4 * scaleWordColumns(count) +
           (count + 31) / 32;
  };
  addColumns(op.reads, op, values.scaleA,
             desc.scalesIn128Lanes ? (values.scalesPerRow + 3) / 4
                                   : countColumns(rows));
  addColumns(op.reads, op, values.scaleB, countColumns(columnsB));
  return {};
}

Expected<std::unique_ptr<TmemOp>> makeMma(Cluster &cluster, const Warp &warp,
                                          unsigned lane,
                                          const DecodedInst &inst,
                                          MmaValues values) {
  Expected<InstructionDescriptor> desc = decodeInstruction(values);
  if (!desc)
    return desc.takeError();
  if (desc->wide)
    values.scalesPerRow *= 2;
  unsigned group = values.form.ctaGroup;
  unsigned evenRank = group == 2 ? warp.cta.rank & ~1u : warp.cta.rank;
  if (group == 2 &&
      (!cluster.cta(evenRank + 1) || cluster.cta(evenRank)->exited ||
       cluster.cta(evenRank + 1)->exited))
    return Error{"cta_group::2: expected a pair of live CTAs, got rank " +
                 std::to_string(warp.cta.rank) + " of a cluster of " +
                 std::to_string(cluster.ctas.size()) +
                 " whose peer is missing or has exited"};

  auto op = std::make_unique<MmaOp>(warp, lane, inst, values, *desc, evenRank);
  op->ctaGroup = group;
  if (values.columnMask) {
    Expected<ZeroColumnMask> mask =
        decodeZeroColumnMask(values.columnMask, desc->m);
    if (!mask)
      return mask.takeError();
    op->mask = *mask;
  }
  if (Status status = setUpD(cluster, *op); !status)
    return status.takeError();
  if (Status status = setUpOperands(cluster, *op); !status)
    return status.takeError();
  if (Status status = setUpTmemOperands(*op); !status)
    return status.takeError();
  for (const TmemFootprint &f : op->reads)
    if (std::string why = checkTmemColumns(cluster, f.rank, f.column, f.columns,
                                           "Tensor Memory operand");
        !why.empty())
      return Error{why};
  return std::unique_ptr<TmemOp>(std::move(op));
}

} // namespace tc::emu
