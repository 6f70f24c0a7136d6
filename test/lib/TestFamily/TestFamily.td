//===- TestFamily.td - a family of kernels of tests only ---*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that is no product: what passes do with it they do because the
// interfaces say so.
//
//===----------------------------------------------------------------------===//

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TMM/IR/KernelFamily.td"
include "tc/Dialect/TMM/IR/TMMAgents.td"
include "tc/Dialect/TMM/IR/TMMInterfaces.td"
include "tc/Dialect/TMM/IR/TMMTypes.td"

def TestFamily_Dialect : Dialect {
  let name = "test_family";
  let cppNamespace = "::tc::test_family";
  let summary = "a family of kernels of tests only";
  let dependentDialects = ["::tc::tmm::TMMDialect"];
}

class TestFamily_Op<string mnemonic, list<Trait> traits = []>
    : Op<TestFamily_Dialect, mnemonic, traits>;

def TestFamily_RowSumOp : TestFamily_Op<"row_sum", [
    DeclareOpInterfaceMethods<TMM_KernelFamilyOpInterface, ["explainConfigs"]>]> {
  let summary = "sums[i, 0] = sum over j of x[i, j]";
  let arguments = (ins Arg<MemRefRankOf<[F32], [2]>, "", [MemRead]>:$x,
                       Arg<MemRefRankOf<[F32], [2]>, "", [MemWrite]>:$sums);
  let assemblyFormat = "$x `,` $sums attr-dict `:` type($x) `,` type($sums)";
  let hasVerifier = 1;
}

def TestFamily_AddRowsOp : TestFamily_Op<"add_rows", [
    AllTypesMatch<["sums", "result"]>,
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>,
    DeclareOpInterfaceMethods<TMM_RegisterTileOpInterface>]> {
  let summary = "result[i, 0] = sums[i, 0] + sum over j of tile[i, j]";
  let arguments = (ins Arg<TMM_BufferType, "", [MemRead]>:$tile,
                       VectorOfRank<[1, 2]>:$sums, OptionalAttr<StrAttr>:$role);
  let results = (outs VectorOfRank<[1, 2]>:$result);
  let assemblyFormat = [{
    $tile `,` $sums (`role` `(` $role^ `)`)? attr-dict `:` type($tile) `,` type($sums)
  }];
}
