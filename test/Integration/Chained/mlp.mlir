// Two products in one kernel: P = relu(A * B^T), rounded to bf16, stays in Tensor
// Memory and is A of D = P * C^T. A is M x K, B is H x K, C is N x H with H up to 128,
// which is the K of the second product. A CTA computes the P of its rows for each tile of D.
module attributes {gpu.container_module} {
  func.func @mlp(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>, %d: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c128 = arith.constant 128 : index
    %most = arith.constant 2147479552 : index
    %m = memref.dim %d, %c0 : memref<?x?xf32>
    %n = memref.dim %d, %c1 : memref<?x?xf32>
    %k = memref.dim %a, %c1 : memref<?x?xbf16>
    %h = memref.dim %b, %c0 : memref<?x?xbf16>
    %tiles_m = arith.ceildivui %m, %c128 : index
    %tiles_n = arith.ceildivui %n, %c128 : index
    %tiles = arith.muli %tiles_m, %tiles_n : index
    %grid = arith.minui %tiles, %c3 : index
    %some = arith.cmpi ne, %tiles, %c0 : index
    scf.if %some {
      %rows = memref.dim %a, %c0 : memref<?x?xbf16>
      %same_m = arith.cmpi eq, %rows, %m : index
      cf.assert %same_m, "A must have the rows of D"
      %k_of_b = memref.dim %b, %c1 : memref<?x?xbf16>
      %same_k = arith.cmpi eq, %k_of_b, %k : index
      cf.assert %same_k, "B must have the columns of A"
      %n_of_c = memref.dim %c, %c0 : memref<?x?xbf16>
      %same_n = arith.cmpi eq, %n_of_c, %n : index
      cf.assert %same_n, "C must have as many rows as D has columns"
      %h_of_c = memref.dim %c, %c1 : memref<?x?xbf16>
      %same_h = arith.cmpi eq, %h_of_c, %h : index
      cf.assert %same_h, "C must have as many columns as B has rows"
      %fits = arith.cmpi ule, %h, %c128 : index
      cf.assert %fits, "the first product must have at most 128 columns, which stay in Tensor Memory"
      %small_m = arith.cmpi ule, %m, %most : index
      cf.assert %small_m, "M must be at most 2147479552"
      %small_n = arith.cmpi ule, %n, %most : index
      cf.assert %small_n, "N must be at most 2147479552"
      %small_k = arith.cmpi ule, %k, %most : index
      cf.assert %small_k, "K must be at most 2147479552"
      %m32 = arith.index_cast %m : index to i32
      %n32 = arith.index_cast %n : index to i32
      %k32 = arith.index_cast %k : index to i32
      gpu.launch_func @kernels::@kernel blocks in (%grid, %c1, %c1) threads in (%c128, %c1, %c1)
        args(%a : memref<?x?xbf16>, %b : memref<?x?xbf16>, %c : memref<?x?xbf16>, %d : memref<?x?xf32>, %m32 : i32, %n32 : i32, %k32 : i32)
    }
    return
  }
  gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
    gpu.func @kernel(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>, %d: memref<?x?xf32>, %m: i32, %n: i32, %k: i32) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c32 = arith.constant 32 : i32
      %c64 = arith.constant 64 : i32
      %c128 = arith.constant 128 : i32
      %true = arith.constant true
      %false = arith.constant false
      %zero = arith.constant dense<0.0> : vector<128x32xf32>
      tmm.role "epilogue" warps(4) drives [#tmm.threads, #sm90.tma_store]
      tmm.role "load" warps(1) drives [#sm90.tma, #sm90.clc]
      tmm.role "mma" warps(1) drives [#tcgen05.mma, #tcgen05.cp]
      %sched = tmm.scheduler #tmm.static<raster = 8>(%m, %n, %k) tile [128, 128, 64] : !tmm.scheduler
      %first = tmm.first_work %sched : !tmm.work
      %end = scf.while (%work = %first) : (!tmm.work) -> !tmm.work {
        %valid = tmm.work_valid %sched, %work : i1
        scf.condition(%valid) %work : !tmm.work
      } do {
      ^bb0(%work: !tmm.work):
        tmm.loop "tiles"
        %row, %col, %first_block, %blocks = tmm.work_tile %sched, %work : i32
        %hidden = tmm.alloc : <128x128xf32, #tcgen05.tmem>
        scf.for %block = %c0 to %blocks step %c1 : i32 {
          %ta = tmm.alloc stages(3) : <128x64xbf16, #sm90.smem<k_major, b128>>
          %tb = tmm.alloc stages(3) : <128x64xbf16, #sm90.smem<k_major, b128>>
          %index = arith.addi %first_block, %block : i32
          %at = arith.muli %index, %c64 : i32
          tmm.load %a[%row, %at], %ta by(#sm90.tma) : memref<?x?xbf16>, <128x64xbf16, #sm90.smem<k_major, b128>>
          tmm.load %b[%c0, %at], %tb by(#sm90.tma) : memref<?x?xbf16>, <128x64xbf16, #sm90.smem<k_major, b128>>
          %more = arith.cmpi ne, %block, %c0 : i32
          tmm.mma %ta, %tb, %hidden accumulate(%more) by(#tcgen05.mma)
            : <128x64xbf16, #sm90.smem<k_major, b128>>, <128x64xbf16, #sm90.smem<k_major, b128>>, !tmm.buffer<128x128xf32, #tcgen05.tmem>
        }
        %written = arith.cmpi ne, %blocks, %c0 : i32
        %p = tmm.alloc : <128x128xbf16, #tcgen05.operand>
        scf.for %column = %c0 to %c128 step %c32 : i32 {
          %sum = tmm.read %hidden[%column] if %written layout(#tcgen05.rows) : <128x128xf32, #tcgen05.tmem> -> vector<128x32xf32>
          %positive = arith.maximumf %sum, %zero : vector<128x32xf32>
          %half = arith.truncf %positive : vector<128x32xf32> to vector<128x32xbf16>
          tmm.write %half, %p[%column] layout(#tcgen05.rows) : vector<128x32xbf16>, <128x128xbf16, #tcgen05.operand>
        }
        %tc = tmm.alloc : <128x128xbf16, #sm90.smem<k_major, b128>>
        tmm.load %c[%col, %c0], %tc by(#sm90.tma) : memref<?x?xbf16>, <128x128xbf16, #sm90.smem<k_major, b128>>
        %acc = tmm.alloc : <128x128xf32, #tcgen05.tmem>
        tmm.mma %p, %tc, %acc accumulate(%false) by(#tcgen05.mma)
          : <128x128xbf16, #tcgen05.operand>, <128x128xbf16, #sm90.smem<k_major, b128>>, !tmm.buffer<128x128xf32, #tcgen05.tmem>
        scf.for %column = %c0 to %c128 step %c32 : i32 {
          %target = arith.addi %col, %column : i32
          %sum = tmm.read %acc[%column] if %true layout(#tcgen05.rows) : <128x128xf32, #tcgen05.tmem> -> vector<128x32xf32>
          tmm.store %sum, %d[%row, %target] layout(#tcgen05.rows) : vector<128x32xf32>, memref<?x?xf32>
        }
        %next = tmm.next_work %sched, %work : !tmm.work
        scf.yield %next : !tmm.work
      }
      gpu.return
    }
  }
}
