module attributes {torch.debug_module_name = "MmModule"} {
  func.func @forward(%arg0: tensor<?x?xbf16>, %arg1: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : bf16
    %dim = tensor.dim %arg0, %c0 : tensor<?x?xbf16>
    %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?xbf16>
    %dim_1 = tensor.dim %arg1, %c0 : tensor<?x?xbf16>
    %dim_2 = tensor.dim %arg1, %c1 : tensor<?x?xbf16>
    %0 = arith.cmpi eq, %dim_0, %dim_1 : index
    cf.assert %0, "mismatching contracting dimension for torch.aten.mm"
    %1 = tensor.empty(%dim, %dim_2) : tensor<?x?xbf16>
    %2 = linalg.fill ins(%cst : bf16) outs(%1 : tensor<?x?xbf16>) -> tensor<?x?xbf16>
    %3 = linalg.matmul ins(%arg0, %arg1 : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%2 : tensor<?x?xbf16>) -> tensor<?x?xbf16>
    return %3 : tensor<?x?xbf16>
  }
}
