// Every role takes turns in the tiles of a CTA: two or three load roles for each
// operand, two for the products and two epilogue roles.
module attributes {gpu.container_module} {
  func.func @matmul(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
    %c2147483647 = arith.constant 2147483647 : index
    %c2147479552 = arith.constant 2147479552 : index
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = memref.dim %d, %c0 : memref<?x?xf32>
    %dim_0 = memref.dim %d, %c1 : memref<?x?xf32>
    %dim_1 = memref.dim %a, %c1 : memref<?x?xbf16>
    %0 = arith.ceildivui %dim, %c128 : index
    %1 = arith.ceildivui %dim_0, %c64 : index
    %2 = arith.muli %0, %1 : index
    %3 = arith.minui %2, %c3 : index
    %4 = arith.cmpi ne, %2, %c0 : index
    scf.if %4 {
      %dim_2 = memref.dim %a, %c0 : memref<?x?xbf16>
      %5 = arith.cmpi eq, %dim_2, %dim : index
      cf.assert %5, "operand A: dimension 0 must have as many elements as dimension 0 of operand D"
      %6 = arith.cmpi ule, %dim, %c2147479552 : index
      cf.assert %6, "M must be at most 2147479552, as coordinates have 32 bits"
      %dim_3 = memref.dim %b, %c1 : memref<?x?xbf16>
      %7 = arith.cmpi eq, %dim_3, %dim_0 : index
      cf.assert %7, "operand B: dimension 1 must have as many elements as dimension 1 of operand D"
      %8 = arith.cmpi ule, %dim_0, %c2147479552 : index
      cf.assert %8, "N must be at most 2147479552, as coordinates have 32 bits"
      %dim_4 = memref.dim %b, %c0 : memref<?x?xbf16>
      %9 = arith.cmpi eq, %dim_4, %dim_1 : index
      cf.assert %9, "operand B: dimension 0 must have as many elements as dimension 1 of operand A"
      %10 = arith.cmpi ule, %dim_1, %c2147479552 : index
      cf.assert %10, "K must be at most 2147479552, as coordinates have 32 bits"
      %11 = arith.cmpi ule, %2, %c2147483647 : index
      cf.assert %11, "D must have at most 2147483647 tiles, the work items of one launch"
      %12 = arith.index_cast %dim : index to i32
      %13 = arith.index_cast %dim_0 : index to i32
      %14 = arith.index_cast %dim_1 : index to i32
      tmm.problem ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
      gpu.launch_func  @kernels::@kernel blocks in (%3, %c1, %c1) threads in (%c128, %c1, %c1)  args(%a : memref<?x?xbf16>, %b : memref<?x?xbf16>, %d : memref<?x?xf32>, %12 : i32, %13 : i32, %14 : i32)
    }
    return
  }
  gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
    gpu.func @kernel(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>, %m: i32, %n: i32, %k: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c32_i32 = arith.constant 32 : i32
      %c64_i32 = arith.constant 64 : i32
      %c1_i32 = arith.constant 1 : i32
      %c0_i32 = arith.constant 0 : i32
      tmm.role "epilogue" warps(4) turns(2) of "tiles" drives [#tmm.threads, #sm90.tma_store]
      tmm.role "load_a" warps(1) turns(2) of "tiles" drives [#sm90.tma, #sm90.clc]
      tmm.role "load_b" warps(1) turns(3) of "tiles" drives [#sm90.tma]
      tmm.role "mma" warps(1) turns(2) of "tiles" drives [#tcgen05.mma, #tcgen05.cp]
      %sched = tmm.scheduler #tmm.static<raster = 8>(%m, %n, %k) tile [128, 64, 64] : !tmm.scheduler
      %first = tmm.first_work %sched : !tmm.work
      %0 = scf.while (%work = %first) : (!tmm.work) -> !tmm.work {
        %valid = tmm.work_valid %sched, %work : i1
        scf.condition(%valid) %work : !tmm.work
      } do {
      ^bb0(%work: !tmm.work):
        tmm.loop "tiles"
        %row, %col, %firstBlock, %blockCount = tmm.work_tile %sched, %work : i32
        %1 = tmm.alloc stages(2) : <128x64xf32, #tcgen05.tmem>
        scf.for %block = %c0_i32 to %blockCount step %c1_i32  : i32 {
          %3 = tmm.alloc stages(5) : <128x64xbf16, #sm90.smem<k_major, b128>>
          %4 = tmm.alloc stages(5) : <64x64xbf16, #sm90.smem<mn_major, b128>>
          %5 = arith.addi %firstBlock, %block : i32
          %6 = arith.muli %5, %c64_i32 : i32
          tmm.load %a[%row, %6], %3 by(#sm90.tma) role("load_a") : memref<?x?xbf16>, <128x64xbf16, #sm90.smem<k_major, b128>>
          tmm.load %b[%col, %6], %4 transposed by(#sm90.tma) role("load_b") : memref<?x?xbf16>, <64x64xbf16, #sm90.smem<mn_major, b128>>
          %7 = arith.cmpi ne, %block, %c0_i32 : i32
          tmm.mma %3, %4, %1 accumulate(%7) by(#tcgen05.mma) : <128x64xbf16, #sm90.smem<k_major, b128>>, <64x64xbf16, #sm90.smem<mn_major, b128>>, !tmm.buffer<128x64xf32, #tcgen05.tmem>
        }
        %2 = arith.cmpi ne, %blockCount, %c0_i32 : i32
        scf.for %block = %c0_i32 to %c64_i32 step %c32_i32  : i32 {
          %3 = arith.addi %col, %block : i32
          %4 = tmm.read %1[%block] if %2 layout(#tcgen05.rows) : <128x64xf32, #tcgen05.tmem> -> vector<128x32xf32>
          %5 = tmm.alloc stages(2) : <128x32xf32, #sm90.smem<n_major, b128>>
          tmm.stage %4, %5 layout(#tcgen05.rows) : vector<128x32xf32>, <128x32xf32, #sm90.smem<n_major, b128>>
          tmm.unload %5, %d[%row, %3] by(#sm90.tma_store) : <128x32xf32, #sm90.smem<n_major, b128>>, memref<?x?xf32>
        }
        %next = tmm.next_work %sched, %work : !tmm.work
        scf.yield %next : !tmm.work
      }
      gpu.return
    }
  }
}

