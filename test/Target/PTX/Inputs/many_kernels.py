"""Twenty kernels of one module, more than a part has: each with shared memory of its own and a constant, all with one dynamic
array. `helper`: two of them call one function. `bad`: one has an instruction that the chip does not have."""
import sys

kind = sys.argv[1]
print('gpu.module @kernels [#nvvm.target<chip = "%s", features = "+ptx86", verifyTarget = false>] {' % ("sm_90" if kind == "bad" else "sm_100a"))
print("  llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>")
if kind == "helper":
    print("  llvm.func internal @helper(%x: i32) attributes {noinline} {\n    llvm.return\n  }")
for i in range(20):
    print(f"""  llvm.mlir.global internal @own_{i}() {{addr_space = 3 : i32}} : !llvm.array<1 x i32>
  llvm.func @k{i}(%p: !llvm.ptr<1>) attributes {{gpu.kernel, nvvm.kernel}} {{
    %value = llvm.mlir.constant({100 + i} : i32) : i32
    %all = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
    %own = llvm.mlir.addressof @own_{i} : !llvm.ptr<3>
    llvm.store volatile %value, %own : i32, !llvm.ptr<3>
    %x = llvm.load volatile %all : !llvm.ptr<3> -> i32
    llvm.store %x, %p : i32, !llvm.ptr<1>""")
    if kind == "helper" and i in (3, 17):
        print("    llvm.call @helper(%x) : (i32) -> ()")
    if kind == "bad" and i == 11:
        print("    nvvm.tcgen05.relinquish_alloc_permit")
    print("    llvm.return\n  }")
print("}")
