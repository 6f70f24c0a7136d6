//===- Units.h - what surrounds matrix units --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all matrix units have in common, and what threads and registers there
// are around them, as data. The units are in lib/Units.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_UNITS_H
#define TC_SUPPORT_UNITS_H

#include "tc/Support/Target.h"

namespace tc {

/// Fraction bits, below that of the largest one, with which a matrix unit adds
/// the products of a step and the sum so far, where it does not say otherwise.
constexpr int64_t kSumFractionBits = 25;

/// Elements of a row that share a scale factor; 0 where the kind has none. Of
/// mxf4nvf4 those that mxf4 does not have (findMmaKind of MmaTypes.h).
int64_t getScaleBlock(MmaKindFacts kind);
/// Bytes of scale factors in a column of Tensor Memory: of 32 lanes, which
/// tcgen05.cp copies to the other 96.
constexpr int64_t kScaleColumnBytes = 128;

/// CTAs of the largest cluster that every device of a family can hold (PTX ISA,
/// "Cluster of Cooperative Thread Arrays"; CUDA C++ programming guide, "Thread
/// Block Clusters").
constexpr int64_t kPortableClusterCtas = 8;
/// 32-bit registers of a multiprocessor, and the most of a thread (CUDA C++
/// programming guide, "Compute Capabilities").
constexpr int64_t kRegisters = 65536;
constexpr int64_t kMaxThreadRegisters = 255;

/// Bytes of the smallest copy of cp.async.
constexpr int64_t kMinCopyBytes = 4;

/// Warps of the role whose threads load what TMA does not, and the elements
/// that each has on their way at a time.
constexpr int64_t kGatherWarps = 4;
constexpr int64_t kElementsInFlight = 8;

} // namespace tc

#endif // TC_SUPPORT_UNITS_H
