// A matrix multiplication as other compilers hand it over: bf16 operands, f32
// result, row-major memrefs.
//
//   tc-compile examples/matmul_bf16.mlir -o matmul.ptx
//   tc-run matmul.ptx --check

func.func @matmul(%a: memref<256x1024xbf16>, %b: memref<1024x512xbf16>,
                  %d: memref<256x512xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<256x512xf32>)
  linalg.matmul ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>)
                outs(%d : memref<256x512xf32>)
  return
}
