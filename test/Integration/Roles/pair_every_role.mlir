// The roles of every_role.mlir in pairs of CTAs that multiply as one.
module attributes {gpu.container_module} {
  func.func @matmul(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
    %c1073741823 = arith.constant 1073741823 : index
    %c2147479552 = arith.constant 2147479552 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = memref.dim %d, %c0 : memref<?x?xf32>
    %dim_0 = memref.dim %d, %c1 : memref<?x?xf32>
    %dim_1 = memref.dim %a, %c1 : memref<?x?xbf16>
    %0 = arith.ceildivui %dim, %c256 : index
    %1 = arith.ceildivui %dim_0, %c128 : index
    %2 = arith.muli %0, %1 : index
    %3 = arith.minui %2, %c2 : index
    %4 = arith.muli %3, %c2 : index
    %5 = arith.cmpi ne, %2, %c0 : index
    scf.if %5 {
      %dim_2 = memref.dim %a, %c0 : memref<?x?xbf16>
      %6 = arith.cmpi eq, %dim_2, %dim : index
      cf.assert %6, "operand A: dimension 0 must have as many elements as dimension 0 of operand D"
      %7 = arith.cmpi ule, %dim, %c2147479552 : index
      cf.assert %7, "M must be at most 2147479552, as coordinates have 32 bits"
      %dim_3 = memref.dim %b, %c1 : memref<?x?xbf16>
      %8 = arith.cmpi eq, %dim_3, %dim_0 : index
      cf.assert %8, "operand B: dimension 1 must have as many elements as dimension 1 of operand D"
      %9 = arith.cmpi ule, %dim_0, %c2147479552 : index
      cf.assert %9, "N must be at most 2147479552, as coordinates have 32 bits"
      %dim_4 = memref.dim %b, %c0 : memref<?x?xbf16>
      %10 = arith.cmpi eq, %dim_4, %dim_1 : index
      cf.assert %10, "operand B: dimension 0 must have as many elements as dimension 1 of operand A"
      %11 = arith.cmpi ule, %dim_1, %c2147479552 : index
      cf.assert %11, "K must be at most 2147479552, as coordinates have 32 bits"
      %12 = arith.cmpi ule, %2, %c1073741823 : index
      cf.assert %12, "D must have at most 1073741823 tiles, the work items of one launch"
      %13 = arith.index_cast %dim : index to i32
      %14 = arith.index_cast %dim_0 : index to i32
      %15 = arith.index_cast %dim_1 : index to i32
      tmm.problem ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
      gpu.launch_func  @kernels::@kernel clusters in (%c2, %c1, %c1) blocks in (%4, %c1, %c1) threads in (%c128, %c1, %c1)  args(%a : memref<?x?xbf16>, %b : memref<?x?xbf16>, %d : memref<?x?xf32>, %13 : i32, %14 : i32, %15 : i32)
    }
    return
  }
  gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
    gpu.func @kernel(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>, %m: i32, %n: i32, %k: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
      %c32_i32 = arith.constant 32 : i32
      %c1_i32 = arith.constant 1 : i32
      %c0_i32 = arith.constant 0 : i32
      %c64_i32 = arith.constant 64 : i32
      %c128_i32 = arith.constant 128 : i32
      tmm.role "epilogue" warps(4) turns(2) of "tiles" drives [#tmm.threads, #sm90.tma_store]
      tmm.role "load_a" warps(1) turns(2) of "tiles" drives [#sm90.tma, #sm90.clc]
      tmm.role "load_b" warps(1) turns(3) of "tiles" drives [#sm90.tma]
      tmm.role "mma" warps(1) turns(2) of "tiles" drives [#tcgen05.mma, #tcgen05.cp]
      %sched = tmm.scheduler #tmm.static<raster = 8>(%m, %n, %k) tile [256, 128, 64] ctas 2 : !tmm.scheduler
      %first = tmm.first_work %sched : !tmm.work
      %0 = scf.while (%work = %first) : (!tmm.work) -> !tmm.work {
        %valid = tmm.work_valid %sched, %work : i1
        scf.condition(%valid) %work : !tmm.work
      } do {
      ^bb0(%work: !tmm.work):
        tmm.loop "tiles"
        %row, %col, %firstBlock, %blockCount = tmm.work_tile %sched, %work : i32
        %cluster_block_id_x = gpu.cluster_block_id  x
        %1 = arith.index_cast %cluster_block_id_x : index to i32
        %2 = arith.muli %1, %c128_i32 : i32
        %3 = arith.addi %row, %2 : i32
        %4 = arith.muli %1, %c64_i32 : i32
        %5 = arith.addi %col, %4 : i32
        %6 = tmm.alloc stages(2) : <128x128xf32, #tcgen05.tmem<ctas = 2>>
        scf.for %block = %c0_i32 to %blockCount step %c1_i32  : i32 {
          %8 = tmm.alloc stages(5) : <128x64xbf16, #sm90.smem<k_major, b128>>
          %9 = tmm.alloc stages(5) : <64x64xbf16, #sm90.smem<mn_major, b128>>
          %10 = arith.addi %firstBlock, %block : i32
          %11 = arith.muli %10, %c64_i32 : i32
          tmm.load %a[%3, %11], %8 by(#sm90.tma) role("load_a") : memref<?x?xbf16>, <128x64xbf16, #sm90.smem<k_major, b128>>
          tmm.load %b[%5, %11], %9 transposed by(#sm90.tma) role("load_b") : memref<?x?xbf16>, <64x64xbf16, #sm90.smem<mn_major, b128>>
          %12 = arith.cmpi ne, %block, %c0_i32 : i32
          tmm.mma %8, %9, %6 accumulate(%12) over #tmm.ctas<2, along = [0]> by(#tcgen05.mma) : <128x64xbf16, #sm90.smem<k_major, b128>>, <64x64xbf16, #sm90.smem<mn_major, b128>>, !tmm.buffer<128x128xf32, #tcgen05.tmem<ctas = 2>>
        }
        %7 = arith.cmpi ne, %blockCount, %c0_i32 : i32
        scf.for %block = %c0_i32 to %c128_i32 step %c32_i32  : i32 {
          %8 = arith.addi %col, %block : i32
          %9 = tmm.read %6[%block] if %7 layout(#tcgen05.rows) : <128x128xf32, #tcgen05.tmem<ctas = 2>> -> vector<128x32xf32>
          %10 = tmm.alloc stages(2) : <128x32xf32, #sm90.smem<n_major, b128>>
          tmm.stage %9, %10 layout(#tcgen05.rows) : vector<128x32xf32>, <128x32xf32, #sm90.smem<n_major, b128>>
          tmm.unload %10, %d[%3, %8] by(#sm90.tma_store) : <128x32xf32, #sm90.smem<n_major, b128>>, memref<?x?xf32>
        }
        %next = tmm.next_work %sched, %work : !tmm.work
        scf.yield %next : !tmm.work
      }
      gpu.return
    }
  }
}

