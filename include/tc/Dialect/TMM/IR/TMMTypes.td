//===- TMMTypes.td - types of the tmm dialect --------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles, pipelines and the values that a tile loop carries.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMTYPES_TD
#define TC_DIALECT_TMM_IR_TMMTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"

class TMM_Type<string name, string typeMnemonic>
    : TypeDef<TMM_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def TMM_MemorySpaceParameter
    : AttrOrTypeParameter<"::tc::MemorySpaceAttrInterface", "where the tile lives">;

def TMM_BufferType : TMM_Type<"Buffer", "buffer"> {
  let summary = "a tile in a memory space";
  let description = [{
    A tile of rows x columns elements in a memory space, which is an attribute of
    the back end that has it and says how the elements are laid out there. Rows and columns
    are those of the matrix as the multiplication sees it: a tile of A is M x K,
    one of B is N x K, one of D is M x N, whatever the order in memory.

    Example:

    ```mlir
    !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
    !tmm.buffer<128x256xf32, #tcgen05.tmem>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "rows, columns">:$shape,
    "::mlir::Type":$elementType,
    TMM_MemorySpaceParameter:$space);
  let assemblyFormat = "`<` custom<Tile>($shape, $elementType) `,` $space `>`";
  let genVerifyDecl = 1;
  let builders = [TypeBuilderWithInferredContext<(ins
      "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
      "::tc::MemorySpaceAttrInterface":$space), [{
    return $_get(elementType.getContext(), shape, elementType, space);
  }]>];
  let extraClassDeclaration = [{
    int64_t getRows() const { return getShape()[0]; }
    int64_t getColumns() const { return getShape()[1]; }
    /// Bytes of the tile without padding: rows * columns * element bits / 8.
    int64_t getBytes() const;
  }];
}

def TMM_PipelineType : TMM_Type<"Pipeline", "pipeline"> {
  let summary = "a ring of slots between producers and consumers";
  let description = [{
    A ring of `depth` slots in each CTA. A slot is a tuple of buffers that are
    filled and released together. A producer acquires a slot, fills its part of it
    and commits it; a consumer waits for it, uses it and releases it.

    Which CTAs fill and read a slot follows from the ops between these: an op that
    several CTAs execute as one (`over`) uses the slots of all of them, a load may
    fill the slots of several (`to`). Every CTA makes every transaction.

    Example:

    ```mlir
    !tmm.pipeline<(<128x64xbf16, #sm90.smem<k_major, b128>>), depth = 4>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::tc::tmm::BufferType", "the buffers of one slot">:$buffers,
    "int64_t":$depth);
  let assemblyFormat = "`<` custom<Slot>($buffers) `,` `depth` `=` $depth `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The same slots in a ring of another depth.
    PipelineType withDepth(int64_t depth) const {
      return get(getContext(), getBuffers(), depth);
    }
  }];
}

def TMM_StorageType : TMM_Type<"Storage", "storage"> {
  let summary = "the memory of the slots of a pipeline";
  let description = [{
    `depth` tiles of one type, one for each slot of a pipeline that has been
    lowered.

    Example:

    ```mlir
    !tmm.storage<<128x64xbf16, #sm90.smem<k_major, b128>>, depth = 4>
    ```
  }];
  let parameters = (ins "::tc::tmm::BufferType":$buffer, "int64_t":$depth);
  let assemblyFormat = "`<` $buffer `,` `depth` `=` $depth `>`";
}

def TMM_PipelineStateType : TMM_Type<"PipelineState", "pipeline_state"> {
  let summary = "how many slots one end of a pipeline has gone through";
  let description = [{
    The number n of transactions that one end (producer or consumer) of a
    pipeline has made since the kernel began. It flows as an SSA value through
    the K loop and the tile loop. Slot n mod depth is next; n div depth counts
    the laps.
  }];
}

def TMM_HeldSlotType : TMM_Type<"HeldSlot", "held_slot"> {
  let summary = "a slot that is released later";
  let description = [{
    The slot of a transaction of a consumer (`tmm.hold`), which loops carry to where
    it is released (`tmm.release_held`).
  }];
}

def TMM_SchedulerType : TMM_Type<"Scheduler", "scheduler"> {
  let summary = "what assigns output tiles";
  let description = [{
    The source of work of a kernel: the grid of output tiles and the rule by which a
    CTA gets its next one.
  }];
}

def TMM_WorkType : TMM_Type<"Work", "work"> {
  let summary = "one unit of work, or the end of work";
  let description = [{
    What a scheduler assigns: whether there is work, the coordinates of an output
    tile, the problem and the share of the tile, the first K-block and the number of
    K-blocks, which may be 0. `tmm-lower-scheduler` makes numbers of it.
  }];
}

#endif // TC_DIALECT_TMM_IR_TMMTYPES_TD
