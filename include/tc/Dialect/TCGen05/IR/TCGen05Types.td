//===- TCGen05Types.td - types of the tcgen05 dialect ------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The type of a region of Tensor Memory.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TCGEN05_IR_TCGEN05TYPES_TD
#define TC_DIALECT_TCGEN05_IR_TCGEN05TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "tc/Dialect/TCGen05/IR/TCGen05Dialect.td"
include "tc/Dialect/TCGen05/IR/TCGen05Enums.td"

def TCGen05_TmemType : TypeDef<TCGen05_Dialect, "Tmem"> {
  let mnemonic = "tmem";
  let summary = "a region of Tensor Memory";
  let description = [{
    `!tcgen05.tmem<LANESxCOLUMNSxELEMENT, LAYOUT>`: the part of a matrix, or of
    an allocation, that this CTA holds in LANES lanes and COLUMNS columns of its
    Tensor Memory. A value is an address (lane << 16 | column); it lowers to
    `!llvm.ptr<6>`.

    LAYOUT is the data path organisation of PTX ISA 9.7.16.10.5. For row m and
    column n of the CTA's part of the matrix:

    | layout | instruction          | rows in a CTA | lane                 | column      |
    |--------|----------------------|------|-------------------------------|-------------|
    | A      | M=256, pair          | 128  | m                             | n           |
    | B      | M=128, pair, dense   | 64   | m + 64 * (n / (N/2))          | n mod (N/2) |
    | C      | M=128, pair, sparse  | 64   | 32 * (m / 16) + m mod 16      | n           |
    | D      | M=128                | 128  | m                             | n           |
    | E      | M=64, ws             | 64   | m + 64 * (n / (N/2))          | n mod (N/2) |
    | F      | M=64                 | 64   | 32 * (m / 16) + m mod 16      | n           |
    | G      | M=32, ws             | 32   | m + 32 * (n / (N/4))          | n mod (N/4) |
    | raw    | none: an allocation  |      |                               |             |
    | scales | block-scaled         | 128 for 4 columns of cells | m mod 32 + 32 * q for q in [0, 4) | 16 * (m / 32) + j |
    | scales_split | block-scaled, M=128, pair | 256 | 64 * (m / (N/2)) + m mod (N/2) mod 32 + 32 * q for q in [0, 2) | 16 * (m mod (N/2) / 32) + j |

    Matrix A in Tensor Memory has the layout of D, and its own columns: where D is
    folded (B, E, G), each fold of the lanes has a copy of the rows of A.

    In layout scales, (m, j) is the factor of block j in [0, 4) of row m of A, or of
    column m of B: four factors share a cell, and all 32 lanes windows have a copy
    (PTX ISA 9.7.16.10.7.2 and .3). It is packed, and a region holds a multiple of
    128 rows, also where the instruction reads fewer. Further blocks of K are
    further regions. Layout scales_split has the factors of B where D has layout B:
    each half of the lanes those of its half of the columns.

    The metadata of a sparse A has two bits for each element that is kept. The
    layout is named by the bits of an element of A, for 128 rows in a CTA
    (PTX ISA 9.7.16.10.8; element k is in [0, K) of one instruction, and bit b is
    the first of the bits of its chunk where k starts one):

    | layout     | A         | columns of an instruction | lane | column | bit |
    |------------|-----------|---|----------------------------------|--------|-----|
    | metadata32 | tf32      | 1 | m mod 8 + 8 * (k / 8) + 16 * (m / 16)  | 0 | 2 * (k mod 8) + 16 * (m / 8 mod 2) |
    | metadata16 | f16, bf16 | 1 | m mod 8 + 8 * (k / 16) + 16 * (m / 16) | 0 | k mod 16 + 16 * (m / 8 mod 2) |
    | metadata8  | 8 bits    | 2 | m | k / 32 | k mod 32     |
    | metadata4  | 4 bits    | 2 | m | k / 64 | k / 2 mod 32 |

    The elements of a region of metadata are cells, i32. 64 rows in a CTA of layouts C
    and F are 16 in each window of 32 lanes, as those of D are (of which the ISA has
    figures only); 64 and 32 rows of weight-stationary instructions have copies in the
    other lanes.

    LANES counts the lanes that hold elements: 128 for A, B, D, E, G, scales,
    metadata and raw, 64 for C and F (16 in each window of 32). The region of one
    warp has a quarter of them.

    COLUMNS counts elements along a lane. Each element has a 32-bit cell of its
    own, also where it is narrower (a sum in f16). With `packed`, 32 divided by
    the element's width of them share a cell, as matrix A in Tensor Memory needs
    it. With `bytes` four share a cell, elements of 4 or 6 bits in a byte each, as
    matrix A of kinds f8f6f4 and mxf8f6f4 needs it.

    Examples:

    ```mlir
    !tcgen05.tmem<128x512xi32, raw>        // an allocation
    !tcgen05.tmem<128x128xf32, D>          // a 128x128 accumulator
    !tcgen05.tmem<32x64xf32, D>            // 64 columns of one warp's window
    !tcgen05.tmem<128x16xbf16, D, packed>  // A of one instruction: 8 columns
    !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>  // factors of 128 rows, 4 blocks
    !tcgen05.tmem<128x32xf6E2M3FN, D, bytes>         // A of one instruction, kind f8f6f4
    !tcgen05.tmem<128x2xi32, metadata8>              // which elements a sparse A keeps
    ```
  }];
  let parameters = (ins "int64_t":$lanes, "int64_t":$columns,
                        "::mlir::Type":$elementType, "DataPath":$layout,
                        DefaultValuedParameter<"bool", "false">:$packed,
                        DefaultValuedParameter<"bool", "false">:$bytes);
  let builders = [
    TypeBuilderWithInferredContext<(ins "int64_t":$lanes, "int64_t":$columns,
        "::mlir::Type":$elementType, "DataPath":$layout), [{
      return $_get(elementType.getContext(), lanes, columns, elementType,
                   layout, /*packed=*/false, /*bytes=*/false);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The raw region that tcgen05.alloc of `columns` columns gives.
    static TmemType getRaw(::mlir::MLIRContext *context, int64_t columns);
    /// The accumulator that an instruction of shape `m`x`n` writes in each CTA;
    /// null where no layout fits.
    static TmemType getAccumulator(int64_t m, int64_t n, int ctaGroup,
                                   ::mlir::Type elementType,
                                   bool sparse = false,
                                   bool weightStationary = false);
    /// Matrix A of `columns` elements in Tensor Memory, `bits` of a cell each,
    /// for an accumulator of layout `layout`.
    static TmemType getMatrixA(int64_t columns, ::mlir::Type elementType,
                               unsigned bits, DataPath layout);
    /// Metadata of an A of elements of `bits`, `columns` cells in a lane.
    static TmemType getMetadata(::mlir::MLIRContext *context, unsigned bits,
                                int64_t columns);
    /// Bits along a lane that an element takes.
    int64_t getStorageBits() const;
    /// Whether the region has factors of blocks.
    bool isScales() const {
      return getLayout() == DataPath::Scales ||
             getLayout() == DataPath::ScalesSplit;
    }
    /// Whether the region has metadata of a sparse A.
    bool isMetadata() const { return getLayout() >= DataPath::Metadata32; }
    /// Columns of 32-bit cells.
    int64_t getCellColumns() const;
    /// Lanes that hold elements when the region is whole.
    int64_t getFullLanes() const;
    /// Whether the region has all lanes of its layout, not one warp's window.
    bool isWhole() const { return getLanes() == getFullLanes(); }
    /// The same columns, seen by one warp.
    TmemType getWindow() const;
    /// Rows of the matrix that a whole region holds.
    int64_t getMatrixRows() const;
    /// Columns of the matrix that a whole region holds.
    int64_t getMatrixColumns() const;
    /// M of the instruction that writes the layout.
    int64_t getInstructionM() const;
    /// cta_group of the instruction that writes the layout; 0 for scales, which
    /// either reads.
    int getCtaGroup() const;
    /// The factors of `rows` rows of A, or columns of B, and four blocks of K.
    static TmemType getScales(int64_t rows, ::mlir::Type elementType);
    /// The factors of B for an accumulator of layout B.
    static TmemType getSplitScales(::mlir::Type elementType);
  }];
}

def TCGen05_Raw : Type<And<[TCGen05_TmemType.predicate,
    CPred<"::llvm::cast<::tc::tcgen05::TmemType>($_self).getLayout() == "
          "::tc::tcgen05::DataPath::Raw">]>, "Tensor Memory allocation",
    "::tc::tcgen05::TmemType">;

#endif // TC_DIALECT_TCGEN05_IR_TCGEN05TYPES_TD
