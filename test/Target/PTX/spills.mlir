// RUN: tc-opt %s --tc-serialize-gpu-modules=format=cubin --verify-diagnostics

// 48 values at a time in 24 registers.
// expected-warning @below {{kernel 'many' spills registers: }}
gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
  llvm.func @many(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.maxnreg = 24 : i32} {
    %v0 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v1 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v2 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v3 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v4 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v5 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v6 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v7 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v8 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v9 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v10 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v11 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v12 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v13 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v14 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v15 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v16 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v17 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v18 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v19 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v20 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v21 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v22 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v23 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v24 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v25 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v26 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v27 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v28 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v29 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v30 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v31 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v32 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v33 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v34 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v35 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v36 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v37 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v38 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v39 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v40 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v41 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v42 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v43 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v44 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v45 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v46 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    %v47 = llvm.load volatile %p : !llvm.ptr<1> -> i32
    llvm.store volatile %v47, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v46, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v45, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v44, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v43, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v42, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v41, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v40, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v39, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v38, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v37, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v36, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v35, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v34, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v33, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v32, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v31, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v30, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v29, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v28, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v27, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v26, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v25, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v24, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v23, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v22, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v21, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v20, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v19, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v18, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v17, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v16, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v15, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v14, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v13, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v12, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v11, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v10, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v9, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v8, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v7, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v6, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v5, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v4, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v3, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v2, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v1, %p : i32, !llvm.ptr<1>
    llvm.store volatile %v0, %p : i32, !llvm.ptr<1>
    llvm.return
  }
}
