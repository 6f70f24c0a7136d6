// Two consumer roles that take turns in the tiles of a CTA (ping-pong): while one
// multiplies, the other stores.
!bf16_128x64_smem = !tmm.buffer<128x64xbf16, #sm90.smem<mn_major, b128>>
!bf16_64x64_smem = !tmm.buffer<64x64xbf16, #sm90.smem<k_major, b128>>
module attributes {gpu.container_module} {
  func.func @matmul(%arg0: memref<?x?xbf16>, %arg1: memref<?x?xbf16>, %arg2: memref<?x?xf32>) {
    %c2147483647 = arith.constant 2147483647 : index
    %c2147479552 = arith.constant 2147479552 : index
    %c3 = arith.constant 3 : index
    %c128 = arith.constant 128 : index
    %c64 = arith.constant 64 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg2, %c0 : memref<?x?xf32>
    %dim_0 = memref.dim %arg2, %c1 : memref<?x?xf32>
    %dim_1 = memref.dim %arg0, %c1 : memref<?x?xbf16>
    %0 = arith.ceildivui %dim, %c64 : index
    %1 = arith.ceildivui %dim_0, %c128 : index
    %2 = arith.muli %0, %1 : index
    %3 = arith.minui %2, %c3 : index
    %4 = arith.cmpi ne, %2, %c0 : index
    scf.if %4 {
      %dim_2 = memref.dim %arg0, %c0 : memref<?x?xbf16>
      %5 = arith.cmpi eq, %dim_2, %dim : index
      cf.assert %5, "operand A: dimension 0 must have as many elements as dimension 0 of operand D"
      %6 = arith.cmpi ule, %dim, %c2147479552 : index
      cf.assert %6, "M must be at most 2147479552, as coordinates have 32 bits"
      %dim_3 = memref.dim %arg1, %c1 : memref<?x?xbf16>
      %7 = arith.cmpi eq, %dim_3, %dim_0 : index
      cf.assert %7, "operand B: dimension 1 must have as many elements as dimension 1 of operand D"
      %8 = arith.cmpi ule, %dim_0, %c2147479552 : index
      cf.assert %8, "N must be at most 2147479552, as coordinates have 32 bits"
      %dim_4 = memref.dim %arg1, %c0 : memref<?x?xbf16>
      %9 = arith.cmpi eq, %dim_4, %dim_1 : index
      cf.assert %9, "operand B: dimension 0 must have as many elements as dimension 1 of operand A"
      %10 = arith.cmpi ule, %dim_1, %c2147479552 : index
      cf.assert %10, "K must be at most 2147479552, as coordinates have 32 bits"
      %11 = arith.cmpi ule, %2, %c2147483647 : index
      cf.assert %11, "D must have at most 2147483647 tiles, the work items of one launch"
      %12 = arith.index_cast %dim : index to i32
      %13 = arith.index_cast %dim_0 : index to i32
      %14 = arith.index_cast %dim_1 : index to i32
      tmm.problem ins(%arg0, %arg1 : memref<?x?xbf16>, memref<?x?xbf16>) outs(%arg2 : memref<?x?xf32>)
      gpu.launch_func  @kernels::@matmul_matmul blocks in (%3, %c1, %c1)
          threads in (%c128, %c1, %c1)  args(%arg0 : memref<?x?xbf16>, %arg1 : memref<?x?xbf16>,
          %arg2 : memref<?x?xf32>, %12 : i32, %13 : i32, %14 : i32)
    }
    return
  }
  gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx86">] {
    gpu.func @matmul_matmul(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>, %arg3: i32, %arg4: i32,
        %arg5: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c96_i32 = arith.constant 96 : i32
      %c32_i32 = arith.constant 32 : i32
      %c64_i32 = arith.constant 64 : i32
      %cst = arith.constant dense<0.000000e+00> : vector<64x128xf32>
      %c1_i32 = arith.constant 1 : i32
      %c0_i32 = arith.constant 0 : i32
      tmm.role "consumer" warps(4) turns(2) of "tiles" drives [#sm90.wgmma, #tmm.threads, #sm90.tma_store]
      tmm.role "load" warps(1) drives [#sm90.tma]
      %sched = tmm.scheduler #tmm.static<raster = 16>(%arg3, %arg4, %arg5) tile [64, 128, 64] : !tmm.scheduler
      %first = tmm.first_work %sched : !tmm.work
      %0 = scf.while (%arg6 = %first) : (!tmm.work) -> !tmm.work {
        %valid = tmm.work_valid %sched, %arg6 : i1
        scf.condition(%valid) %arg6 : !tmm.work
      } do {
      ^bb0(%arg6: !tmm.work):
        tmm.loop "tiles"
        %row, %col, %firstBlock, %blockCount = tmm.work_tile %sched, %arg6 : i32
        %1 = scf.for %arg7 = %c0_i32 to %blockCount step %c1_i32 iter_args(%arg8 = %cst) -> (vector<64x128xf32>)
            : i32 {
          %9 = tmm.alloc stages(4) : !bf16_64x64_smem
          %10 = tmm.alloc stages(4) : !bf16_128x64_smem
          %11 = arith.addi %firstBlock, %arg7 : i32
          %12 = arith.muli %11, %c64_i32 : i32
          tmm.load %a[%row, %12], %9 by(#sm90.tma) : memref<?x?xbf16>, !bf16_64x64_smem
          tmm.load %b[%col, %12], %10 transposed by(#sm90.tma) : memref<?x?xbf16>, !bf16_128x64_smem
          %13 = arith.cmpi ne, %arg7, %c0_i32 : i32
          %14 = tmm.mma %9, %10, %arg8 accumulate(%13) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
              : !bf16_64x64_smem, !bf16_128x64_smem, vector<64x128xf32> -> vector<64x128xf32>
          scf.yield %14 : vector<64x128xf32>
        }
        %2 = vector.extract_strided_slice %1 {offsets = [0, 0], sizes = [64, 32], strides = [1, 1]}
            : vector<64x128xf32> to vector<64x32xf32>
        tmm.store %2, %d[%row, %col] layout(#sm90.wgmma_layout) : vector<64x32xf32>, memref<?x?xf32>
        %3 = arith.addi %col, %c32_i32 : i32
        %4 = vector.extract_strided_slice %1 {offsets = [0, 32], sizes = [64, 32], strides = [1, 1]}
            : vector<64x128xf32> to vector<64x32xf32>
        tmm.store %4, %d[%row, %3] layout(#sm90.wgmma_layout) : vector<64x32xf32>, memref<?x?xf32>
        %5 = arith.addi %col, %c64_i32 : i32
        %6 = vector.extract_strided_slice %1 {offsets = [0, 64], sizes = [64, 32], strides = [1, 1]}
            : vector<64x128xf32> to vector<64x32xf32>
        tmm.store %6, %d[%row, %5] layout(#sm90.wgmma_layout) : vector<64x32xf32>, memref<?x?xf32>
        %7 = arith.addi %col, %c96_i32 : i32
        %8 = vector.extract_strided_slice %1 {offsets = [0, 96], sizes = [64, 32], strides = [1, 1]}
            : vector<64x128xf32> to vector<64x32xf32>
        tmm.store %8, %d[%row, %7] layout(#sm90.wgmma_layout) : vector<64x32xf32>, memref<?x?xf32>
        %next = tmm.next_work %sched, %arg6 : !tmm.work
        scf.yield %next : !tmm.work
      }
      gpu.return
    }
  }
}

