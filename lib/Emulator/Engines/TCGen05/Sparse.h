//===- Sparse.h - metadata of a sparse A ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tcgen05.mma.sp keeps half of the elements of A; metadata in Tensor Memory
// says which (PTX ISA 9.0, "Sparse matrices", 9.7.16.10.8).
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_ENGINES_TCGEN05_SPARSE_H
#define TC_EMULATOR_ENGINES_TCGEN05_SPARSE_H

#include "Engines/TCGen05/Descriptor.h"
#include "Engines/TCGen05/Layout.h"

#include <vector>

namespace tc::emu {

class Tmem;

/// Columns of metadata that one MMA reads.
unsigned metadataColumns(const OperandType &a);

/// Why the metadata cannot be read from `metadata`, with D in lane `laneOfD`;
/// empty if it can.
std::string checkSparse(const MmaForm &form, const InstructionDescriptor &desc,
                        TmemAddress metadata, unsigned laneOfD);

/// The column of metadata that the sparsity selector picks (PTX ISA 9.0,
/// "Sparsity selector", 9.7.16.10.8).
unsigned metadataColumn(const InstructionDescriptor &desc,
                        TmemAddress metadata);

/// For each row of A in a CTA the places, among desc.k, of the elements that A
/// keeps, of which `kept` has the bits. A code that the ISA leaves undefined is
/// an error; with `zeros`, only where the two elements are not zeros, and
/// `zeros` says whether there were such. `undefined` has 1 + (lane << 16 |
/// column) of metadata without a value for each row, or 0.
Status readMetadata(Tmem &tmem, const MmaForm &form,
                    const InstructionDescriptor &desc, TmemAddress metadata,
                    const std::vector<uint32_t> &kept, bool *zeros,
                    std::vector<uint16_t> &places,
                    std::vector<uint32_t> &undefined);

/// The rows of A, k elements each, with zeros where none is kept.
std::vector<uint32_t> expandSparse(const std::vector<uint32_t> &kept,
                                   const std::vector<uint16_t> &places,
                                   unsigned k);

} // namespace tc::emu

#endif // TC_EMULATOR_ENGINES_TCGEN05_SPARSE_H
