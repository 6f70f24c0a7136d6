//===- TMMAttentionOp.td - softmax between two products ----*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention: two products with a softmax between them, one kernel; and its
// gradients, two kernels.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMATTENTIONOP_TD
#define TC_DIALECT_TMM_IR_TMMATTENTIONOP_TD

include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"

def TMM_AttentionOp : TMM_Op<"attention", [
    AttrSizedOperandSegments, AttrSizedResultSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
        ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
         "getAliasingValues", "bufferize"]>]> {
  let summary = "softmax(Q K^T) V";
  let description = [{
    For each batch b, with c = b / (batches of Q / batches of K) in each dimension of the batch:

    ```
    S[i, j] = scale * (sum over e of q[b, i, e] * k[c, j, e]) + bias[b, i, j]      -inf where row i does not see key j
    M[i]    = max over j of S[i, j]
    P[i, j] = exp(S[i, j] - M[i])
    L[i]    = sum over j of P[i, j]
    o[b, i, e]  = (sum over j of P[i, j] * v[c, j, e]) / L[i]       0 for a row that sees no key, NaN with `nan_if_hidden`
    lse[b, i]   = M[i] + log(L[i])                                  -inf there
    ```

    Row i sees the keys j <= i + `diagonal`, and of them, with `window`, those with j > i + `diagonal` - `window`;
    all keys where there is no `diagonal`. So `diagonal` 0 is causal attention, and the number of keys less that
    of queries is causal attention of the last queries.

    There need be no `bias`; where a dimension of it has one element, known here, all have the same. A key whose bias is
    -infinity is not seen.

    Several heads of Q may share one of K and V: the sizes of a dimension of their batches divide those of Q.

    Keys are read in blocks. M is that of the blocks so far: where it grows, what was summed is multiplied by exp
    of the difference. Where sums are in memory (tcgen05), M stays what it was until it would grow by more than
    8 log(2), so that most blocks rescale nothing and P is at most 256: sums of P V above 2^120 overflow. S and L are
    f32; P is rounded to the type of V before the second product, L is the sum of what was not rounded. exp is
    ex2.approx.ftz.f32 of the argument times log2(e). The sums of the products are those of the matrix unit.
    Without a bias M log2(e) is rounded to f32: where it is above 2^24, P of the largest score is no longer 1, and
    above 2^28 it may be 0 or infinite. NaN and +infinity in S make their row NaN.

    With `maps` operand i has its dimensions in another order: `maps`[i] has the numbers of the dimensions above, batch
    first, in the order of the operand, of which the last one is the last.

    Operands, tensors or memrefs: `q` (batch x M x E), `k` (batch x N x E), `v` (batch x N x F), `o` (batch x M x F)
    and, maybe, `lse` (batch x M, f32) and `bias` (batch x M x N, any but N may be 1).

    * C1: ranks are the same, at least 2, and one less for `lse`; sizes fit each other, batches of `k` and `v` are
      equal and divide those of `q`.
    * C2: `q`, `k` and `v` are of bf16 or f16, all the same; `o` of the same or f32; `bias` of bf16, f16 or f32.
    * C3: `scale` is finite and above 0, `window` is at least 1 and has a `diagonal`.
    * C4: results are those of tensors among the outputs.
    * C5: there is a map for each operand, a permutation that leaves the last dimension of all but `lse` in its place.

    Example, causal attention of 8 heads that share one of K and V:

    ```mlir
    %r = tmm.attention %q, %k, %v scale(1.250000e-01) diagonal(0) outs(%o : tensor<2x8x?x64xbf16>)
      : tensor<2x8x?x64xbf16>, tensor<2x1x?x64xbf16>, tensor<2x1x?x64xbf16> -> tensor<2x8x?x64xbf16>
    %s = tmm.attention %q, %k, %v scale(1.250000e-01) bias(%mask : tensor<2x1x1x?xf32>) outs(%o : tensor<2x8x?x64xbf16>) {nan_if_hidden}
      : tensor<2x8x?x64xbf16>, tensor<2x1x?x64xbf16>, tensor<2x1x?x64xbf16> -> tensor<2x8x?x64xbf16>
    #rows = affine_map<(b, h, i, e) -> (b, i, h, e)>
    tmm.attention %q1, %k1, %v1 scale(1.250000e-01) outs(%o1 : memref<2x?x8x64xbf16>) maps [#rows, #rows, #rows, #rows]
      : memref<2x?x8x64xbf16>, memref<2x?x8x64xbf16>, memref<2x?x8x64xbf16>
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$q,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$k,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$v,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$o,
    Optional<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$lse,
    Optional<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$bias,
    F32Attr:$scale, OptionalAttr<I64Attr>:$diagonal, OptionalAttr<I64Attr>:$window,
    OptionalAttr<AffineMapArrayAttr>:$maps, UnitAttr:$nan_if_hidden);
  let results = (outs Optional<AnyRankedTensor>:$result, Optional<AnyRankedTensor>:$result_lse);
  let assemblyFormat = [{
    $q `,` $k `,` $v `scale` `(` $scale `)` (`diagonal` `(` $diagonal^ `)`)? (`window` `(` $window^ `)`)?
    (`bias` `(` $bias^ `:` type($bias) `)`)?
    `outs` `(` $o `:` type($o) (`,` $lse^ `:` type($lse))? `)` (`maps` $maps^)? attr-dict
    `:` type($q) `,` type($k) `,` type($v) (`->` type($result)^ (`,` type($result_lse)^)?)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(getOperation(), 3, getLse() ? 2 : 1);
    }
    /// Whether `operand` is the log-sum-exp, which has no columns.
    bool isLse(unsigned operand) { return operand == 4 && getLse(); }
    /// The number of the bias among the operands, the last one.
    unsigned getNumberOfBias() { return getNumOperands() - 1; }
    /// Dimensions of the batch.
    unsigned getBatchRank() {
      return ::llvm::cast<::mlir::ShapedType>(getQ().getType()).getRank() - 2;
    }
    ::mlir::ShapedType getTypeOf(unsigned operand) {
      return ::llvm::cast<::mlir::ShapedType>(getOperand(operand).getType());
    }
    /// The dimension of `operand` that is dimension `dim` of the formula.
    unsigned getDimOf(unsigned operand, unsigned dim);
    /// The size of dimension `dim` of the formula in `operand`.
    int64_t getSizeOf(unsigned operand, unsigned dim) {
      return getTypeOf(operand).getDimSize(getDimOf(operand, dim));
    }
    /// Sizes that are known: columns of Q and K, and of V.
    int64_t getColumnsOfQ() { return getTypeOf(0).getShape().back(); }
    int64_t getColumnsOfV() { return getTypeOf(2).getShape().back(); }
  }];
}

def TMM_AttentionBackwardOp : TMM_Op<"attention_backward", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
        ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
         "getAliasingValues", "bufferize"]>]> {
  let summary = "gradients of softmax(Q K^T) V";
  let description = [{
    With O and lse as `tmm.attention` computes them of the same `q`, `k`, `v`, `scale`, `diagonal` and `window`, `grad`
    the gradient of O, and delta[b, i] = sum over e of grad[b, i, e] * O[b, i, e], for each batch b of Q, and
    c = b / (batches of Q / batches of K) in each dimension of the batch:

    ```
    P[b, i, j]  = exp(scale * (sum over e of q[b, i, e] * k[c, j, e]) - lse[b, i])     0 where row i does not see key j
    dP[b, i, j] = sum over e of grad[b, i, e] * v[c, j, e]
    dS[b, i, j] = P[b, i, j] * (dP[b, i, j] - delta[b, i])
    dq[b, i, e] = scale * (sum over j of dS[b, i, j] * k[c, j, e])
    dk[c, j, e] = scale * (sum over b and i of dS[b, i, j] * q[b, i, e])
    dv[c, j, e] = sum over b and i of P[b, i, j] * grad[b, i, e]
    ```

    The sums of `dk` and `dv` are over all b that share c. The op computes `dq`, or `dk` and `dv`, or all three.

    The first and the other two are a kernel each, as `tmm-split-k` makes of the op: nothing is added
    in global memory, so that results are the same each time. S and dP are computed in both, seven products instead
    of five. P and dS stay on the multiprocessor; they are rounded to the type of `q` before the products that read them. Sums are
    f32. exp is ex2.approx.ftz.f32 of the argument times log2(e).

    Operands, tensors or memrefs: `q` (batch x M x E), `k` (batch x N x E), `v` (batch x N x F), `grad` (batch x M x
    F), `lse` and `delta` (batch x M, f32), and outputs, `dq` as `q`, `dk` as `k`, `dv` as `v`.

    * C1: ranks are the same, at least 2, and one less for `lse` and `delta`; sizes fit each other, batches of `k` and
      `v` are equal and divide those of `q`.
    * C2: `q`, `k`, `v` and `grad` are of bf16 or f16, all the same; outputs of the same or f32, `dk` and `dv` alike.
    * C3: `scale` is finite and above 0, `window` is at least 1 and has a `diagonal`.
    * C4: all outputs are tensors, with results, or none.
    * C5: there is an output, and `dk` and `dv` come together.

    Example, causal attention of 8 heads that share one of K and V:

    ```mlir
    tmm.attention_backward %q, %k, %v, %grad, %lse, %delta scale(1.250000e-01) diagonal(0)
      dq(%dq : memref<2x8x?x64xbf16>) dk_dv(%dk, %dv : memref<2x1x?x64xbf16>, memref<2x1x?x64xbf16>)
      : memref<2x8x?x64xbf16>, memref<2x1x?x64xbf16>, memref<2x1x?x64xbf16>, memref<2x8x?x64xbf16>, memref<2x8x?xf32>, memref<2x8x?xf32>
    %r = tmm.attention_backward %tq, %tk, %tv, %tgrad, %tlse, %tdelta scale(1.250000e-01) dq(%tdq : tensor<64x64xf32>)
      : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64xf32>, tensor<64xf32> -> tensor<64x64xf32>
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$q,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$k,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$v,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$grad,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$lse,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$delta,
    Optional<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$dq,
    Optional<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$dk,
    Optional<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$dv,
    F32Attr:$scale, OptionalAttr<I64Attr>:$diagonal, OptionalAttr<I64Attr>:$window);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $q `,` $k `,` $v `,` $grad `,` $lse `,` $delta
    `scale` `(` $scale `)` (`diagonal` `(` $diagonal^ `)`)? (`window` `(` $window^ `)`)?
    (`dq` `(` $dq^ `:` type($dq) `)`)? (`dk_dv` `(` $dk^ `,` $dv `:` type($dk) `,` type($dv) `)`)? attr-dict
    `:` type($q) `,` type($k) `,` type($v) `,` type($grad) `,` type($lse) `,` type($delta) (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(getOperation(), 6, getNumOperands() - 6);
    }
    /// Dimensions of the batch.
    unsigned getBatchRank() { return getTypeOf(getQ()).getRank() - 2; }
    static ::mlir::ShapedType getTypeOf(::mlir::Value operand) {
      return ::llvm::cast<::mlir::ShapedType>(operand.getType());
    }
    /// Sizes that are known: columns of Q and K, and of V.
    int64_t getColumnsOfQ() { return getTypeOf(getQ()).getShape().back(); }
    int64_t getColumnsOfV() { return getTypeOf(getV()).getShape().back(); }
    /// The type of the elements of all outputs of a kernel.
    ::mlir::Type getOutType() {
      return getTypeOf(getDq() ? getDq() : getDk()).getElementType();
    }
  }];
}

#endif // TC_DIALECT_TMM_IR_TMMATTENTIONOP_TD
