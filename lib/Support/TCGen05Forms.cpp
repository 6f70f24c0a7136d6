//===- TCGen05Forms.cpp - which target has which form -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of TCGen05Forms.h. test/Target/PTX/forms.test gives every example
// to ptxas for every target and version.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/TCGen05Forms.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace tc {

static constexpr llvm::StringRef kAll[] = {"sm_100a", "sm_100f", "sm_103a",
                                           "sm_103f", "sm_107a", "sm_107f",
                                           "sm_110a", "sm_110f"};
/// Those of one architecture, not of a family.
static constexpr llvm::StringRef kExact[] = {"sm_100a", "sm_103a", "sm_107a",
                                             "sm_110a"};
/// Those whose metadata of 4-bit elements name pairs: on sm_107a they name
/// single elements (PTX ISA 9.4, "Sparse matrices"), which no op has.
static constexpr llvm::StringRef kPairMetadata[] = {"sm_100a", "sm_103a",
                                                    "sm_110a"};
static constexpr llvm::StringRef kReduce[] = {"sm_103a", "sm_103f", "sm_107a",
                                              "sm_107f", "sm_110a", "sm_110f"};
static constexpr llvm::StringRef kCompress[] = {"sm_107a"};
static constexpr llvm::StringRef kChipsOfI8[] = {"sm_100a", "sm_110a"};
static constexpr llvm::StringRef kScaleInputD[] = {
    "sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_107a", "sm_107f"};
static constexpr llvm::StringRef kRubin[] = {"sm_107a", "sm_107f"};

llvm::ArrayRef<TCGen05FormFacts> getTCGen05Forms() {
  using Form = TCGen05Form;
  static const TCGen05FormFacts forms[] = {
      {Form::Memory, "tcgen05 instructions", ISASection::Mma, 86, kAll,
       "tcgen05.wait::ld.sync.aligned;"},
      {Form::Shift, "tcgen05.shift", ISASection::TmemShift, 86, kExact,
       "tcgen05.shift.cta_group::1.down [%t];"},
      {Form::LdReduce, "tcgen05.ld.red", ISASection::TmemLoad, 88, kReduce,
       "tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%r0, %r1}, %r2, [%t];"},
      {Form::LdCompress, "tcgen05.ld.spcompress", ISASection::TmemLoad, 94,
       kCompress,
       "tcgen05.ld.spcompress.sync.aligned.32x32b.x4.max.sp::2:4.f32.b2 {%r0}, "
       "{%r1, %r2}, [%t];",
       "PTX ISA 9.4, 9.7.18.8.3; the headers of CCCL; the order of the indices "
       "is inferred"},
      {Form::Mma, "tcgen05.mma of kinds f16, tf32 and f8f6f4", ISASection::Mma,
       86, kAll, "tcgen05.mma.cta_group::1.kind::f16 [%t], %a, %b, %i, %p;"},
      {Form::MmaI8, "tcgen05.mma of kind i8", ISASection::Mma, 86, kChipsOfI8,
       "tcgen05.mma.cta_group::1.kind::i8 [%t], %a, %b, %i, %p;"},
      {Form::MmaScaled, "tcgen05.mma of kinds mxf8f6f4 and mxf4",
       ISASection::Mma, 88, kAll,
       "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%t], %a, %b, %i, "
       "[%t], [%t], %p;"},
      {Form::MmaScaledSparse4, "sparse tcgen05.mma of kinds mxf4 and mxf4nvf4",
       ISASection::Mma, 88, kPairMetadata,
       "tcgen05.mma.sp.cta_group::1.kind::mxf4.block_scale [%t], %a, %b, [%t], "
       "%i, [%t], [%t], %p;"},
      {Form::MmaNVF4Block, "tcgen05.mma of kind mxf4nvf4", ISASection::Mma, 88,
       kAll,
       "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%t], %a, "
       "%b, %i, [%t], [%t], %p;"},
      {Form::MmaScaleVec1, "tcgen05.mma with .scale_vec::1X",
       ISASection::BlockScaling, 86, kExact,
       "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X "
       "[%t], %a, %b, %i, [%t], [%t], %p;"},
      {Form::MmaScaleVec2, "tcgen05.mma with .scale_vec::2X",
       ISASection::BlockScaling, 86, kExact,
       "tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X [%t], "
       "%a, %b, %i, [%t], [%t], %p;"},
      {Form::MmaScaleVec4, "tcgen05.mma with .scale_vec::4X",
       ISASection::BlockScaling, 87, kExact,
       "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X "
       "[%t], %a, %b, %i, [%t], [%t], %p;"},
      {Form::MmaBlockSize, "tcgen05.mma with .block16 or .block32",
       ISASection::BlockScaling, 88, kAll,
       "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.block32 [%t], %a, "
       "%b, %i, [%t], [%t], %p;"},
      {Form::MmaScaleInputD, "tcgen05.mma with scale-input-d", ISASection::Mma,
       86, kScaleInputD,
       "tcgen05.mma.cta_group::1.kind::f16 [%t], %a, %b, %i, %p, 3;"},
      {Form::AllocExclusive, "tcgen05.alloc.exclusive",
       ISASection::TmemExclusive, 94, kAll,
       "tcgen05.alloc.exclusive.cta_group::1.sync.aligned.b32 [%r0], 96;",
       "PTX ISA 9.4, 9.7.18.7, whose list of targets leaves out sm_107f and "
       "sm_103f, which ptxas 13.5 takes; kernels of Triton, CUTLASS and "
       "FlashInfer"},
      {Form::MmaWideK, "tcgen05.mma with K of 64 bytes", ISASection::WideMma,
       94, kRubin,
       // Told by the instruction descriptor, which ptxas does not read.
       "",
       "PTX ISA 9.4, 9.7.18.2.1 and 9.7.18.4.2; kernels of Triton and "
       "FlashInfer; the order of the scale factors of K = 128 is inferred from "
       "them"},
      {Form::MmaCollectorB, "tcgen05.mma with .collector::b",
       ISASection::CollectorB, 94, kRubin,
       "tcgen05.mma.cta_group::1.kind::f16.collector::a::discard."
       "collector::b::fill [%t], %a, %b, %i, %p;",
       "PTX ISA 9.4, 9.7.18.10; kernels of Triton (without .collector::a, "
       "which the grammar has first), CUTLASS and FlashInfer"},
      {Form::CommitReadsOfA,
       "tcgen05.commit with .sync_restrict::shared::read::mma::a",
       ISASection::RestrictedCommit, 94, kRubin,
       "tcgen05.commit.cta_group::1.mbarrier::arrive::one."
       "sync_restrict::shared::read::mma::a.shared::cluster.b64 [%r0];",
       "PTX ISA 9.4, 9.7.18.12; the headers of CCCL; kernels of "
       "ThunderKittens"},
      {Form::CommitMulticast32, "tcgen05.commit with .multicast::cluster::32b",
       ISASection::RestrictedCommit, 94, kRubin,
       "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster."
       "multicast::cluster::32b.b64 [%r0], %r1;",
       "PTX ISA 9.4, 9.7.18.12; the headers of CCCL; kernels of "
       "ThunderKittens"},
      {Form::MmaTI16, "tcgen05.mma of kind ti16", ISASection::MmaTI16, 94,
       kRubin, "tcgen05.mma.cta_group::1.kind::ti16 [%t], %a, %b, %i, %p;",
       "PTX ISA 9.4, 9.7.18.4.2 and 9.7.18.10, whose tables disagree about "
       "operands that are adjacent along M or N: none are"},
      {Form::MmaSm107Scales,
       "tcgen05.mma with factors of ue5m3, or of ue4m3 for 32 elements",
       ISASection::Sm107Scales, 94, kRubin,
       // Told by the instruction descriptor.
       "",
       "PTX ISA 9.4, 9.7.18.10.7.1 and 5.2.3, which leaves out the bias of "
       "ue5m3: 15 is inferred"},
      {Form::MmaLaneScales, "tcgen05.mma with factors of a in 128 lanes",
       ISASection::Sm107Scales, 94, kRubin,
       // Told by the instruction descriptor.
       "",
       "PTX ISA 9.4, 9.7.18.4.2 and 9.7.18.10.7, whose layout is in a figure "
       "alone: inferred from the simulator of TIRx, which follows it"},
      {Form::MmaLookupB, "tcgen05.mma with .decompress::lut::b",
       ISASection::LookupB, 94, kRubin,
       "tcgen05.mma.cta_group::1.kind::f8f6f4.decompress::lut::b [%t], %a, "
       "%b, [%t], %i, %p;",
       "PTX ISA 9.4, 9.7.18.10.8, whose layouts are in figures alone: inferred "
       "from the simulator of TIRx, which follows them"},
  };
  return forms;
}

const TCGen05FormFacts &getFacts(TCGen05Form form) {
  return *llvm::find_if(getTCGen05Forms(), [&](const TCGen05FormFacts &facts) {
    return facts.form == form;
  });
}

bool TCGen05FormFacts::exists(const TargetFacts &target) const {
  return llvm::is_contained(targets, target.chip);
}

unsigned TCGen05FormFacts::getPtxVersion(const TargetFacts &target) const {
  return std::max(ptxVersion, target.ptxVersion);
}

llvm::SmallVector<TCGen05Form> getMmaForms(const MmaForm &form,
                                           int64_t scaleBlock, bool scaleVec) {
  llvm::SmallVector<TCGen05Form> forms;
  if (form.wide)
    forms.push_back(TCGen05Form::MmaWideK);
  if (form.lookup)
    forms.push_back(TCGen05Form::MmaLookupB);
  bool four = false;
  switch (form.kind) {
  case MmaKindFacts::F16:
  case MmaKindFacts::TF32:
  case MmaKindFacts::F8F6F4:
    forms.push_back(TCGen05Form::Mma);
    return forms;
  case MmaKindFacts::I8:
    return {TCGen05Form::MmaI8};
  case MmaKindFacts::TI16:
    return {TCGen05Form::MmaTI16};
  case MmaKindFacts::MXF4NVF4:
    // With .scale_vec the kind is older than with the size of a block.
    if (!scaleVec)
      forms.push_back(TCGen05Form::MmaNVF4Block);
    four = true;
    break;
  case MmaKindFacts::MXF4:
    four = true;
    [[fallthrough]];
  case MmaKindFacts::MXF8F6F4:
    if (!scaleVec)
      forms.push_back(TCGen05Form::MmaScaled);
    break;
  }
  if (four && form.sparse)
    forms.push_back(TCGen05Form::MmaScaledSparse4);
  if (scaleVec)
    switch (getMmaK(form.kind) / scaleBlock) {
    case 1:
      forms.push_back(TCGen05Form::MmaScaleVec1);
      break;
    case 2:
      forms.push_back(TCGen05Form::MmaScaleVec2);
      break;
    default:
      forms.push_back(TCGen05Form::MmaScaleVec4);
    }
  return forms;
}

} // namespace tc
