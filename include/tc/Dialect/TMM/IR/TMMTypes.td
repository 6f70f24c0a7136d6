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
include "tc/Dialect/TMM/IR/TMMEnums.td"

class TMM_Type<string name, string typeMnemonic>
    : TypeDef<TMM_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def TMM_BufferType : TMM_Type<"Buffer", "buffer"> {
  let summary = "a tile in a named memory space";
  let description = [{
    A tile of rows x columns elements in shared memory (`smem`) or in the memory
    of the accumulators (`tmem`). Rows and columns are those of the matrix as the
    multiplication sees it: a tile of A is M x K, one of B is N x K, one of D is
    M x N, whatever the order in memory. An operand tile in `smem` also names
    that order (`#tmm.layout`).

    Example:

    ```mlir
    !tmm.buffer<128x64xbf16, smem, <k_major, swizzle = 128>>
    !tmm.buffer<128x256xf32, tmem>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "rows, columns">:$shape,
    "::mlir::Type":$elementType,
    EnumParameter<TMM_MemorySpace>:$space,
    OptionalParameter<"::tc::tmm::LayoutAttr", "order in shared memory">:$layout);
  let assemblyFormat = [{
    `<` custom<Tile>($shape, $elementType) `,` custom<Space>($space) (`,` $layout^)? `>`
  }];
  let genVerifyDecl = 1;
  let builders = [TypeBuilderWithInferredContext<(ins
      "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
      "::tc::tmm::MemorySpace":$space, CArg<"::tc::tmm::LayoutAttr", "{}">:$layout), [{
    return $_get(elementType.getContext(), shape, elementType, space, layout);
  }]>];
  let extraClassDeclaration = [{
    int64_t getRows() const { return getShape()[0]; }
    int64_t getColumns() const { return getShape()[1]; }
    /// Bytes of the tile without padding: rows * columns * element bits / 8.
    int64_t getBytes() const;
  }];
}

def TMM_ScopeParameter : EnumParameter<TMM_Scope> {
  let defaultValue = "::tc::tmm::Scope::cta";
}

def TMM_PipelineType : TMM_Type<"Pipeline", "pipeline"> {
  let summary = "a ring of slots between a producer and a consumer";
  let description = [{
    A ring of `depth` slots. A slot is a tuple of buffers that are filled and
    released together. The producer acquires a slot, fills it and commits it;
    the consumer waits for it, uses it and releases it.

    With `scope = pair` two CTAs share the pipeline. Each has its own slots, whose
    buffers are its part of the data; a slot is filled when both CTAs have filled
    their part, and free when both parts are free. Every CTA makes every
    transaction.

    Example:

    ```mlir
    !tmm.pipeline<(<128x64xbf16, smem>, <256x64xbf16, smem>), depth = 4>
    !tmm.pipeline<(<128x64xbf16, smem>, <128x64xbf16, smem>), depth = 4, scope = pair>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::tc::tmm::BufferType", "the buffers of one slot">:$buffers,
    "int64_t":$depth, TMM_ScopeParameter:$scope);
  let assemblyFormat = [{
    `<` custom<Slot>($buffers) `,` `depth` `=` $depth (`,` `scope` `=` $scope^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The same slots in a ring of another depth.
    PipelineType withDepth(int64_t depth) const {
      return get(getContext(), getBuffers(), depth, getScope());
    }
    /// CTAs that share the pipeline.
    int64_t getCtas() const { return getScope() == Scope::pair ? 2 : 1; }
    /// Bytes of one slot of one CTA without padding.
    int64_t getSlotBytes() const;
  }];
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

def TMM_SchedulerType : TMM_Type<"Scheduler", "scheduler"> {
  let summary = "what hands out output tiles";
  let description = [{
    The source of work of a kernel: the grid of output tiles and the rule by which a
    CTA gets its next one.
  }];
}

def TMM_WorkType : TMM_Type<"Work", "work"> {
  let summary = "one unit of work, or the end of work";
  let description = [{
    What a scheduler hands out: whether there is work, the coordinates of an output
    tile, the first K-block and the number of K-blocks, which may be 0.
  }];
}

#endif // TC_DIALECT_TMM_IR_TMMTYPES_TD
