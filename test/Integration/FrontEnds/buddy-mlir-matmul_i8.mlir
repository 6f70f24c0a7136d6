func.func @matmul_i8(%a : memref<35x61xi8>, %b : memref<61x19xi8>, %c : memref<35x19xi32>) {
  linalg.matmul ins(%a, %b: memref<35x61xi8>, memref<61x19xi8>) outs(%c: memref<35x19xi32>)
  return
}
