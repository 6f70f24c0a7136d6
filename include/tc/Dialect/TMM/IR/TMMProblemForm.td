//===- TMMProblemForm.td - what problems have in common ----*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operands and attributes of `tmm.matmul` and of `tmm.problem`, which
// states on the host what a launch computes, and what follows from them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMPROBLEMFORM_TD
#define TC_DIALECT_TMM_IR_TMMPROBLEMFORM_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TMM/IR/TMMAttrs.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"

def TMM_MatrixType : AnyTypeOf<[AnyRankedOrUnrankedMemRef, AnyRankedTensor],
                               "matrix: a memref or a ranked tensor">;

def TMM_RowsType : AnyTypeOf<[MemRefRankOf<[I32], [1]>, 1DTensorOf<[I32]>],
                             "a vector of i32: a memref or a tensor of rank 1">;

def TMM_EpilogueOperandType
    : AnyTypeOf<[AnyStridedMemRef, AnyRankedTensor, AnyFloat],
                "epilogue operand: a strided memref, a ranked tensor or a float">;

/// An operation that states a matrix multiplication: what it multiplies, into
/// what, and the epilogue.
class TMM_ProblemFormOp<string mnemonic, list<Trait> traits>
    : TMM_Op<mnemonic, !listconcat([IsolatedFromAbove, AttrSizedOperandSegments], traits)> {
  dag problemArguments = (ins
    Arg<TMM_MatrixType, "left matrix, M x K, or K x M with `transpose_a`; with `metadata` half of K">:$a,
    Arg<TMM_MatrixType, "right matrix, K x N, or N x K with `transpose_b`">:$b,
    Arg<TMM_MatrixType, "destination, M x N">:$d,
    Arg<Optional<TMM_MatrixType>, "scale factors of D, in blocks: an output">:$scale_d,
    Arg<Optional<TMM_MatrixType>, "the largest absolute value: an output">:$amax,
    Arg<Variadic<TMM_EpilogueOperandType>, "what the epilogue reads beside the accumulator">:$extras,
    Arg<Optional<TMM_MatrixType>, "scale factors of A, in blocks, or a matrix of f32">:$scale_a,
    Arg<Optional<TMM_MatrixType>, "scale factors of B, in blocks, or a matrix of f32">:$scale_b,
    Arg<Optional<TMM_MatrixType>, "which elements a sparse A keeps, in blocks">:$metadata,
    Arg<Optional<TMM_RowsType>, "where the rows of each group end">:$ends,
    Arg<Optional<TMM_RowsType>, "how many rows each problem of a batch has">:$counts,
    UnitAttr:$accumulate,
    UnitAttr:$transpose_a,
    UnitAttr:$transpose_b,
    UnitAttr:$allow_tf32,
    UnitAttr:$f16_sum,
    OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$scale_block,
    OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$scale_columns,
    OptionalAttr<DenseI32ArrayAttr>:$along);
  // None or one: upstream cannot clone an operation with an empty region.
  let regions = (region VariadicRegion<SizedRegion<1>>:$epilogues);
  let hasVerifier = 1;
  code problemDeclaration = [{
    /// Position of M, N or K in the shape of the operand that has it.
    unsigned getMDimOfA() { return getMatrixDim(getA(), getTransposeA()); }
    unsigned getKDimOfA() { return getMatrixDim(getA(), !getTransposeA()); }
    unsigned getKDimOfB() { return getMatrixDim(getB(), getTransposeB()); }
    unsigned getNDimOfB() { return getMatrixDim(getB(), !getTransposeB()); }
    unsigned getMDimOfD() { return getMatrixDim(getD(), 0); }
    unsigned getNDimOfD() { return getMatrixDim(getD(), 1); }

    /// Whether D is known to have no elements, so that nothing is launched.
    bool isEmpty() {
      return ::llvm::is_contained(
          ::llvm::cast<::mlir::ShapedType>(getD().getType()).getShape(), 0);
    }
    /// Whether the groups of a batch are rows of the same A and D.
    bool isStacked() { return bool(getEnds()); }
    /// What tells on the device which rows a problem of the batch has; null:
    /// each has all of them.
    ::mlir::Value getRows() { return isStacked() ? getEnds() : getCounts(); }
    /// The type of D with the dimensions of the batch, groups included.
    ::mlir::ShapedType getBatchedD() {
      auto type = ::mlir::cast<::mlir::ShapedType>(getD().getType());
      if (!isStacked())
        return type;
      return detail::addGroups(
          type, ::mlir::cast<::mlir::ShapedType>(getEnds().getType()));
    }
    /// Dimensions of the batch: those of D before M and N, or groups.
    unsigned getBatchRank() {
      return ::mlir::cast<::mlir::ShapedType>(getD().getType()).getRank() - 2 +
             isStacked();
    }
    /// Size of batch dimension `dim` of D from whichever of A, B and D knows it,
    /// or ShapedType::kDynamic.
    int64_t getStaticBatch(unsigned dim) {
      return detail::getStaticBatch(getA(), getB(), getBatchedD(), dim);
    }
    /// The dimension of `type`, a matrix or vector with `matrixRank` dimensions
    /// after those of its batch, that batch dimension `dim` of D runs along;
    /// nothing where it is read with index 0.
    ::std::optional<unsigned> getBatchDimOf(::mlir::ShapedType type,
                                            unsigned matrixRank, unsigned dim) {
      return detail::getBatchDimOf(type, matrixRank, dim, getBatchRank());
    }
    /// Dimensions of extra operand `index` after those of its batch: 2 for a
    /// matrix, 1 for a vector.
    unsigned getMatrixRankOf(unsigned index) { return getAlongOf(index) ? 1 : 2; }

    /// The kind of the products, which the element types name.
    ::tc::MmaKindFacts getKind() {
      return *detail::getKind(getA(), getB(), getScaleA(),
                              getScaleBlock().value_or(0));
    }
    /// The type in which the unit keeps sums of products: that of the sum for the
    /// epilogue, or f16.
    ::mlir::Type getAccumulatorType() {
      if (getF16Sum())
        return ::mlir::Float16Type::get(getContext());
      return getSumType();
    }
    /// The type of the sum that the epilogue sees: f32, or i32 of integers.
    ::mlir::Type getSumType() {
      return ::tc::getMmaSumType(getKind(), getContext());
    }

    /// Whether A and B have scale factors.
    bool isScaled() { return bool(getScaleA()); }
    /// Elements of K that share a factor; 0 without.
    int64_t getBlockOfScales() {
      if (!isScaled())
        return 0;
      return ::tc::getMmaScaleBlock(
          getKind(), ::mlir::getElementTypeOrSelf(getScaleA().getType()));
    }
    /// Elements of K after which threads take the sum out of the accumulator of
    /// the unit, multiply it by the factors of its block and add it to a sum of
    /// their own; 0: once, at the end.
    int64_t getPromotedK() {
      return ::tc::isBlockScaled(getKind()) ? 0 : getBlockOfScales();
    }
    /// What the operation says of the elements that share a factor.
    ::tc::tmm::ScaleBlocks getScaleBlocks() {
      return {getScaleBlockAttr(), getScaleColumnsAttr()};
    }
    /// Columns of B that share a factor that threads apply.
    int64_t getColumnsOfScales() {
      return getScaleColumns().value_or(kPromotedColumns);
    }
    /// Dimensions of scale factors after those of their batch.
    unsigned getScalesRank() { return getPromotedK() ? 2 : kScalesRank; }
    /// The scale factors of A and of B, or nothing.
    ::llvm::SmallVector<::mlir::Value, 2> getScales() {
      if (!isScaled())
        return {};
      return {getScaleA(), getScaleB()};
    }
    /// Whether A has half of the elements of its rows, which `metadata` names.
    bool isSparse() { return bool(getMetadata()); }
    /// Elements along K for each element of A.
    int64_t getSparsity() { return isSparse() ? 2 : 1; }
    /// The operands that come in blocks: scale factors, then metadata.
    ::llvm::SmallVector<::mlir::Value, 3> getBlockedOperands() {
      ::llvm::SmallVector<::mlir::Value, 3> operands;
      if (!getPromotedK())
        operands.append(getScales());
      if (isSparse())
        operands.push_back(getMetadata());
      return operands;
    }
    /// Whether what the epilogue computes for D becomes floats of 8 bits or
    /// fewer: it is f32 then, and the operation converts it.
    bool isQuantized() {
      return ::tc::tmm::isQuantizedType(
          ::mlir::getElementTypeOrSelf(getD().getType()));
    }
    /// The type that the epilogue yields for an element of D.
    ::mlir::Type getYieldType() {
      return isQuantized()
                 ? ::mlir::Type(::mlir::Float32Type::get(getContext()))
                 : ::mlir::getElementTypeOrSelf(getD().getType());
    }
    /// Elements of a row of D that share a scale factor.
    int64_t getScaleBlockOfD() {
      return ::tc::tmm::getQuantizedBlock(
          ::mlir::getElementTypeOrSelf(getScaleD().getType()));
    }
    /// What it writes beside D: SFD and amax, as far as there are any.
    ::llvm::SmallVector<::mlir::Value, 2> getOtherOutputs() {
      ::llvm::SmallVector<::mlir::Value, 2> outputs;
      if (getScaleD())
        outputs.push_back(getScaleD());
      if (getAmax())
        outputs.push_back(getAmax());
      return outputs;
    }

    /// What diagnostics call operand `number`: A, B, D, SFD, amax, X0, X1, ...,
    /// SFA, SFB, metadata, ends, counts.
    ::std::string getOperandName(unsigned number) {
      if (getRows() && number + 1 == getOperation()->getNumOperands())
        return isStacked() ? "ends" : "counts";
      return detail::getOperandName(number, bool(getScaleD()), bool(getAmax()),
                                    getExtras().size(), isScaled());
    }
    /// The number of the first extra operand.
    unsigned getFirstExtra() { return 3 + getOtherOutputs().size(); }

    bool hasEpilogue() { return !getEpilogues().empty(); }
    /// The region of the epilogue, or null.
    ::mlir::Region *getEpilogue() {
      return hasEpilogue() ? &getEpilogues().front() : nullptr;
    }
    /// What `along` holds: -1, or the dimension of the vector, for each extra.
    ::llvm::ArrayRef<int32_t> getAlongCodes() {
      return getAlong().value_or(::llvm::ArrayRef<int32_t>());
    }
    /// The dimension that extra operand `index` runs along if it is a vector.
    ::std::optional<Along> getAlongOf(unsigned index) {
      int32_t value = getAlongCodes()[index];
      return value < 0 ? ::std::nullopt : symbolizeAlong(value);
    }

    /// Static size of M, N and K from whichever operand knows it, or
    /// ShapedType::kDynamic.
    int64_t getStaticM() {
      return detail::getStaticSize(getA(), getMDimOfA(), getD(), getMDimOfD());
    }
    int64_t getStaticN() {
      return detail::getStaticSize(getB(), getNDimOfB(), getD(), getNDimOfD());
    }
    int64_t getStaticK() {
      int64_t ofA =
          ::mlir::cast<::mlir::ShapedType>(getA().getType()).getDimSize(getKDimOfA());
      if (!::mlir::ShapedType::isDynamic(ofA))
        return ofA * getSparsity();
      return ::mlir::cast<::mlir::ShapedType>(getB().getType()).getDimSize(getKDimOfB());
    }

  private:
    /// Row (0) or column (1) of a matrix as a dimension of its type.
    static unsigned getMatrixDim(::mlir::Value matrix, unsigned dim) {
      return ::mlir::cast<::mlir::ShapedType>(matrix.getType()).getRank() - 2 +
             dim;
    }

  public:
  }];
}

#endif // TC_DIALECT_TMM_IR_TMMPROBLEMFORM_TD
