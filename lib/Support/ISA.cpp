//===- ISA.cpp - sections of the PTX ISA ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table behind cite(): section numbers of PTX ISA 9.0 and titles.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/ISA.h"

#include "tc/Support/Version.h"

#include <array>
#include <string>

namespace tc {

namespace {
struct Section {
  const char *number;
  const char *title;
  /// The version with that number, where it is not that of the others.
  llvm::StringRef version = kISAVersion;
};
} // namespace

static Section getSection(ISASection section) {
  switch (section) {
  case ISASection::Identifiers:
    return {"4.4", "Identifiers"};
  case ISASection::TensorMapLimits:
    return {"5.5", "Tensors"};
  case ISASection::SwizzlingModes:
    return {"5.5.7", "Swizzling-modes"};
  case ISASection::TmaCopy:
    return {"9.7.9.27",
            "Data Movement and Conversion Instructions: Tensor copy"};
  case ISASection::TmaPrefetchDescriptor:
    return {"9.7.9.15",
            "Data Movement and Conversion Instructions: prefetch, prefetchu"};
  case ISASection::MBarrierObject:
    return {"9.7.13.15", "Parallel Synchronization and Communication "
                         "Instructions: mbarrier"};
  case ISASection::MBarrierInit:
    return {"9.7.13.15.9", "Parallel Synchronization and Communication "
                           "Instructions: mbarrier.init"};
  case ISASection::StAsync:
    return {"9.7.9.12", "Data Movement and Conversion Instructions: st.async"};
  case ISASection::ClusterLaunchTryCancel:
    return {"9.7.13.17", "Parallel Synchronization and Communication "
                         "Instructions: clusterlaunchcontrol.try_cancel"};
  case ISASection::ClusterLaunchQueryCancel:
    return {"9.7.13.18", "Parallel Synchronization and Communication "
                         "Instructions: clusterlaunchcontrol.query_cancel"};
  case ISASection::MmaSyncBlockScaling:
    return {"9.7.14.3", "Block Scaling for mma.sync"};
  case ISASection::MmaSyncFragments:
    return {"9.7.14.5.8",
            "Matrix Fragments for mma.m16n8k16 with floating point type"};
  case ISASection::MmaSync:
    return {"9.7.14.5.14", "Multiply-and-Accumulate Instruction: mma"};
  case ISASection::LdMatrix:
    return {"9.7.14.5.15", "Warp-level matrix load instruction: ldmatrix"};
  case ISASection::StMatrix:
    return {"9.7.14.5.16", "Warp-level matrix store instruction: stmatrix"};
  case ISASection::CpAsync:
    return {"9.7.9.25.3.1",
            "Data Movement and Conversion Instructions: cp.async"};
  case ISASection::WgmmaShape:
    return {"9.7.15.2", "Matrix Shape"};
  case ISASection::WgmmaTypes:
    return {"9.7.15.3", "Matrix Data-types"};
  case ISASection::WgmmaFragments:
    return {"9.7.15.5.1.1", "Register Fragments"};
  case ISASection::WgmmaDescriptor:
    return {"9.7.15.5.1.2.2", "Matrix Descriptor Format"};
  case ISASection::Wgmma:
    return {"9.7.15.5.2", "Asynchronous Multiply-and-Accumulate Instruction: "
                          "wgmma.mma_async"};
  case ISASection::WgmmaFence:
    return {"9.7.15.7.1",
            "Asynchronous Multiply-and-Accumulate Instruction: wgmma.fence"};
  case ISASection::WgmmaWaitGroup:
    return {"9.7.15.7.3", "Asynchronous Multiply-and-Accumulate Instruction: "
                          "wgmma.wait_group"};
  case ISASection::TmemAddressing:
    return {"9.7.16.1", "Tensor Memory"};
  case ISASection::TmemAllocation:
    return {"9.7.16.1.2", "Tensor Memory Allocation"};
  case ISASection::MmaShape:
    return {"9.7.16.2.1", "Matrix Shape"};
  case ISASection::TmemShapes:
    return {"9.7.16.2.3", "Data Movement Shape"};
  case ISASection::Canonical:
    return {"9.7.16.3", "Major-ness supported by Strides"};
  case ISASection::SmemDescriptor:
    return {"9.7.16.4.1", "Shared memory descriptor"};
  case ISASection::InstructionDescriptor:
    return {"9.7.16.4.2", "Instruction descriptor"};
  case ISASection::ZeroColumnMask:
    return {"9.7.16.4.3", "Zero-Column Mask Descriptor"};
  case ISASection::CtaGroup:
    return {"9.7.16.5.1", "CTA Pair"};
  case ISASection::TmemOrder:
    return {"9.7.16.6", "Memory Consistency Model for 5th generation of "
                        "TensorCore operations"};
  case ISASection::TmemAllocInstructions:
    return {"9.7.16.7", "Tensor Memory Allocation and Management Instructions"};
  case ISASection::TmemLoadAccess:
    return {"9.7.16.8.1", "Access restrictions"};
  case ISASection::TmemLoad:
    return {"9.7.16.8.3", "Tensorcore 5th Generation Instructions: tcgen05.ld"};
  case ISASection::TmemStore:
    return {"9.7.16.8.4", "Tensorcore 5th Generation Instructions: tcgen05.st"};
  case ISASection::TmemWait:
    return {"9.7.16.8.5",
            "Tensorcore 5th Generation Instructions: tcgen05.wait"};
  case ISASection::TmemCopy:
    return {"9.7.16.9.2", "Tensorcore 5th Generation Instructions: tcgen05.cp"};
  case ISASection::TmemShift:
    return {"9.7.16.9.3",
            "Tensorcore 5th Generation Instructions: tcgen05.shift"};
  case ISASection::MmaKinds:
    return {"9.7.16.10", "TensorCore 5th Generation Matrix Multiply and "
                         "accumulate Operations"};
  case ISASection::MmaTranspose:
    return {"9.7.16.10.1", "Transpose and Negate operations"};
  case ISASection::DataPath:
    return {"9.7.16.10.5", "Data Path Layout Organization"};
  case ISASection::BlockScaling:
    return {"9.7.16.10.7", "Block Scaling"};
  case ISASection::ScaleFactorA:
    return {"9.7.16.10.7.2", "Scale Factor A ID"};
  case ISASection::ScaleFactorB:
    return {"9.7.16.10.7.3", "Scale Factor B ID"};
  case ISASection::Mma:
    return {"9.7.16.10.9",
            "TensorCore 5th Generation Instructions: tcgen05.mma"};
  case ISASection::SparseMatrices:
    return {"9.7.16.10.8", "Sparse Matrices"};
  case ISASection::MmaWs:
    return {"9.7.16.10.9.3",
            "TensorCore 5th Generation Instructions: tcgen05.mma.ws"};
  case ISASection::Commit:
    return {"9.7.16.12", "TensorCore 5th Generation of MMA Async "
                         "Synchronization Operations: tcgen05.commit"};
  case ISASection::SetMaxNReg:
    return {"9.7.19.5", "Miscellaneous Instructions: setmaxnreg"};
  case ISASection::TmemExclusive:
    return {"9.7.18.7", "Tensor Memory Allocation and Management Instructions",
            "9.4"};
  case ISASection::WideMma:
    return {"9.7.18.2.1", "Matrix Shape", "9.4"};
  case ISASection::CollectorB:
    return {"9.7.18.10.9",
            "TensorCore 5th Generation Instructions: tcgen05.mma", "9.4"};
  case ISASection::RestrictedCommit:
    return {"9.7.18.12",
            "TensorCore 5th Generation of MMA Async "
            "Synchronization Operations: tcgen05.commit",
            "9.4"};
  case ISASection::MmaTI16:
    return {"9.7.18.4.2", "Instruction descriptor", "9.4"};
  case ISASection::Sm107Scales:
    return {"9.7.18.10.7.1",
            "Valid combinations of scale_vectorsize with types and MMA-Kind",
            "9.4"};
  case ISASection::LookupB:
    return {"9.7.18.10.8", "Decompression of input matrices", "9.4"};
  case ISASection::TmaOverride:
    return {"9.7.10.28.5.2", "Overriding tensor property value", "9.4"};
  case ISASection::TmaReport:
    return {"9.7.10.28.1.3",
            "Report Mechanisms for Asynchronous Copy Operations", "9.4"};
  case ISASection::MBarrierLayout:
    return {"9.7.15.16.2", "Layouts of the mbarrier object", "9.4"};
  case ISASection::MBarrierMulticast:
    return {"9.7.15.16.16",
            "Parallel Synchronization and Communication Instructions: "
            "mbarrier.arrive",
            "9.4"};
  case ISASection::Count:
    break;
  }
  return {"", ""};
}

llvm::StringRef cite(ISASection section) {
  static const auto table = [] {
    std::array<std::string, static_cast<size_t>(ISASection::Count)> strings;
    for (size_t i = 0; i < strings.size(); ++i) {
      Section entry = getSection(static_cast<ISASection>(i));
      strings[i] = std::string("(PTX ISA ") + entry.version.str() + ", " +
                   entry.number + " \"" + entry.title + "\")";
    }
    return strings;
  }();
  return table[static_cast<size_t>(section)];
}

} // namespace tc
