// RUN: tc-opt %s --tc-serialize-gpu-modules | FileCheck %s

// Every asynchronous op of nvvm, with its modifiers, is found again in the
// PTX: what LLVM prints and what the comparison spells agree.
// CHECK: gpu.binary @m
gpu.module @m [#nvvm.target<chip = "sm_100a", features = "+ptx88", verifyTarget = false>] {
  llvm.func @mbarriers(%s: !llvm.ptr<3>, %c: !llvm.ptr<7>, %g: !llvm.ptr, %n: i32, %st: i64, %p: i1) attributes {nvvm.kernel} {
    nvvm.mbarrier.init %s, %n : !llvm.ptr<3>, i32
    nvvm.mbarrier.init %g, %n : !llvm.ptr, i32
    nvvm.mbarrier.init %s, %n, predicate = %p : !llvm.ptr<3>, i32, i1
    nvvm.mbarrier.inval %s : !llvm.ptr<3>
    nvvm.mbarrier.expect_tx %s, %n : !llvm.ptr<3>, i32
    nvvm.mbarrier.expect_tx %c, %n {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
    nvvm.mbarrier.complete_tx %s, %n : !llvm.ptr<3>, i32
    nvvm.mbarrier.complete_tx %c, %n {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32
    %0 = nvvm.mbarrier.arrive %s : !llvm.ptr<3> -> i64
    %1 = nvvm.mbarrier.arrive %s, %n : !llvm.ptr<3> -> i64
    %2 = nvvm.mbarrier.arrive %g : !llvm.ptr -> i64
    nvvm.mbarrier.arrive %c {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
    nvvm.mbarrier.arrive %c {scope = #nvvm.mem_scope<cluster>, relaxed = true} : !llvm.ptr<7>
    %3 = nvvm.mbarrier.arrive_drop %s : !llvm.ptr<3> -> i64
    nvvm.mbarrier.arrive_drop %c, %n {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
    %4 = nvvm.mbarrier.arrive.nocomplete %s, %n : !llvm.ptr<3>, i32 -> i64
    %5 = nvvm.mbarrier.arrive_drop.nocomplete %s, %n : !llvm.ptr<3>, i32 -> i64
    nvvm.mbarrier.arrive.expect_tx %s, %n : !llvm.ptr<3>, i32
    nvvm.mbarrier.arrive.expect_tx %s, %n, predicate = %p : !llvm.ptr<3>, i32, i1
    nvvm.mbarrier.arrive.expect_tx %c, %n {scope = #nvvm.mem_scope<cluster>, relaxed = true} : !llvm.ptr<7>, i32
    %6 = nvvm.mbarrier.arrive_drop.expect_tx %s, %n : !llvm.ptr<3>, i32 -> i64
    nvvm.mbarrier.try_wait.parity %s, %n, %n : !llvm.ptr<3>, i32, i32
    %7 = nvvm.mbarrier.test.wait %s, %st : !llvm.ptr<3>, i64 -> i1
    %8 = nvvm.mbarrier.test.wait %s, %n {scope = #nvvm.mem_scope<cluster>, relaxed = true} : !llvm.ptr<3>, i32 -> i1
    %9 = nvvm.mbarrier.try_wait %s, %n : !llvm.ptr<3>, i32 -> i1
    %10 = nvvm.mbarrier.try_wait %s, %st, %n {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i64, i32 -> i1
    nvvm.fence.mbarrier.init
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
    nvvm.barrier0
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    nvvm.cp.async.mbarrier.arrive %s : !llvm.ptr<3>
    nvvm.cp.async.mbarrier.arrive %s {noinc = true} : !llvm.ptr<3>
    nvvm.cp.async.mbarrier.arrive %g {noinc = true} : !llvm.ptr
    llvm.return
  }
  llvm.func @copies(%s: !llvm.ptr<3>, %c: !llvm.ptr<7>, %g: !llvm.ptr, %gl: !llvm.ptr<1>, %n: i32, %m: i16, %h: i64, %p: i1) attributes {nvvm.kernel} {
    nvvm.cp.async.shared.global %s, %gl, 4, cache = ca, %n : !llvm.ptr<3>, !llvm.ptr<1>, i32
    nvvm.cp.async.shared.global %s, %gl, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 1
    nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %g, %s, box[%n] : !llvm.ptr<7>, !llvm.ptr
    nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %g, %s, box[%n, %n] multicast_mask = %m l2_cache_hint = %h : !llvm.ptr<7>, !llvm.ptr
    nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %g, %s, box[%n, %n] {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<7>, !llvm.ptr
    nvvm.cp.async.bulk.tensor.shared.cluster.global %s, %g, %s, box[%n, %n, %n] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
    nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %g, %s, box[%n, %n, %n] im2col[%m] {mode = #nvvm.tma_load_mode<im2col>} : !llvm.ptr<7>, !llvm.ptr
    nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %g, %s, box[%n, %n, %n] im2col[%m, %m] {mode = #nvvm.tma_load_mode<im2col_w>} : !llvm.ptr<7>, !llvm.ptr
    nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %g, %s, box[%n, %n, %n] im2col[%m, %m] {mode = #nvvm.tma_load_mode<im2col_w_128>} : !llvm.ptr<7>, !llvm.ptr
    nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %g, %s, box[%n, %n, %n, %n, %n] {mode = #nvvm.tma_load_mode<tile_gather4>} : !llvm.ptr<7>, !llvm.ptr
    nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %g, %s, box[%n, %n] predicate = %p : !llvm.ptr<7>, !llvm.ptr
    nvvm.cp.async.bulk.tensor.global.shared.cta %g, %s, box[%n, %n] : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.tensor.global.shared.cta %g, %s, box[%n, %n] l2_cache_hint = %h : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.tensor.global.shared.cta %g, %s, box[%n, %n], predicate = %p : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.tensor.global.shared.cta %g, %s, box[%n, %n, %n] {mode = #nvvm.tma_store_mode<im2col>} : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.tensor.global.shared.cta %g, %s, box[%n, %n, %n, %n, %n] {mode = #nvvm.tma_store_mode<tile_scatter4>} : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.tensor.prefetch %g, box[%n, %n] : !llvm.ptr
    nvvm.cp.async.bulk.tensor.prefetch %g, box[%n, %n] l2_cache_hint = %h : !llvm.ptr
    nvvm.cp.async.bulk.tensor.reduce %g, %s, box[%n, %n] {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.tensor.reduce %g, %s, box[%n, %n] l2_cache_hint = %h {redKind = #nvvm.tma_redux_kind<max>} : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.shared.cluster.global %c, %gl, %s, %n : !llvm.ptr<7>, !llvm.ptr<1>
    nvvm.cp.async.bulk.shared.cluster.global %c, %gl, %s, %n multicast_mask = %m l2_cache_hint = %h : !llvm.ptr<7>, !llvm.ptr<1>
    nvvm.cp.async.bulk.shared.cluster.global %s, %gl, %s, %n : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.bulk.shared.cluster.shared.cta %c, %s, %s, %n : !llvm.ptr<7>, !llvm.ptr<3>
    nvvm.cp.async.bulk.global.shared.cta %gl, %s, %n : !llvm.ptr<1>, !llvm.ptr<3>
    nvvm.cp.async.bulk.global.shared.cta %gl, %s, %n l2_cache_hint = %h byte_mask = %m : !llvm.ptr<1>, !llvm.ptr<3>
    nvvm.cp.async.bulk.prefetch %gl, %n : !llvm.ptr<1>
    nvvm.cp.async.bulk.prefetch %gl, %n l2_cache_hint = %h : !llvm.ptr<1>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 1
    nvvm.cp.async.bulk.wait_group 0 {read}
    llvm.return
  }
  llvm.func @hints(%g: !llvm.ptr, %gl: !llvm.ptr<1>, %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}) attributes {nvvm.kernel} {
    nvvm.griddepcontrol wait
    nvvm.griddepcontrol launch_dependents
    nvvm.setmaxregister increase 232
    nvvm.setmaxregister decrease 40
    nvvm.prefetch level = L1, %g : !llvm.ptr
    nvvm.prefetch level = L2, %gl : !llvm.ptr<1>
    nvvm.prefetch level = L2, evict_priority = evict_last, %gl : !llvm.ptr<1>
    nvvm.prefetch level = L1 uniform, %g : !llvm.ptr
    nvvm.prefetch tensormap, %g : !llvm.ptr
    nvvm.prefetch tensormap in_param_space, %map : !llvm.ptr
    %policy = llvm.inline_asm "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l" : () -> i64
    llvm.store %policy, %g : i64, !llvm.ptr
    llvm.return
  }
  llvm.func @tcgen05_1(%s: !llvm.ptr<3>, %g: !llvm.ptr, %t: !llvm.ptr<6>, %n: i32, %m: i16, %d: i64, %p: i1, %mask: vector<4xi32>, %r: vector<4xi32>, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %c3 = llvm.mlir.constant(3 : i64) : i64
    nvvm.tcgen05.alloc %s, %n : !llvm.ptr<3>, i32
    nvvm.tcgen05.alloc %g, %n : !llvm.ptr, i32
    nvvm.tcgen05.dealloc %t, %n : !llvm.ptr<6>, i32
    nvvm.tcgen05.relinquish_alloc_permit
    nvvm.tcgen05.fence #nvvm.tcgen05_fence<before>
    nvvm.tcgen05.fence #nvvm.tcgen05_fence<after>
    nvvm.tcgen05.wait #nvvm.tcgen05_wait<load>
    nvvm.tcgen05.wait #nvvm.tcgen05_wait<store>
    nvvm.tcgen05.commit %s : !llvm.ptr<3>
    nvvm.tcgen05.commit %g : !llvm.ptr
    nvvm.tcgen05.commit %s, multicast_mask = %m : !llvm.ptr<3>, i16
    nvvm.tcgen05.shift %t : !llvm.ptr<6>
    nvvm.tcgen05.cp %t, %d {shape = #nvvm.tcgen05_cp_shape<shape_128x256b>}
    nvvm.tcgen05.cp %t, %d {shape = #nvvm.tcgen05_cp_shape<shape_4x256b>}
    nvvm.tcgen05.cp %t, %d {shape = #nvvm.tcgen05_cp_shape<shape_128x128b>, srcFormat = #nvvm.tcgen05_cp_src_fmt<b6x16_p32>}
    nvvm.tcgen05.cp %t, %d {shape = #nvvm.tcgen05_cp_shape<shape_64x128b>, multicast = #nvvm.tcgen05_cp_multicast<warpx2_02_13>}
    nvvm.tcgen05.cp %t, %d {shape = #nvvm.tcgen05_cp_shape<shape_64x128b>, multicast = #nvvm.tcgen05_cp_multicast<warpx2_01_23>, srcFormat = #nvvm.tcgen05_cp_src_fmt<b4x16_p64>}
    nvvm.tcgen05.cp %t, %d {shape = #nvvm.tcgen05_cp_shape<shape_32x128b>, multicast = #nvvm.tcgen05_cp_multicast<warpx4>}
    %0 = nvvm.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : i32
    %1 = nvvm.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_16x64b>} : vector<4xi32>
    %2 = nvvm.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_16x128b>} : vector<4xi32>
    %3 = nvvm.tcgen05.ld %t pack {shape = #nvvm.tcgen05_ldst_shape<shape_16x256b>} : vector<4xi32>
    %4 = nvvm.tcgen05.ld %t, %c3 {shape = #nvvm.tcgen05_ldst_shape<shape_16x32bx2>} : vector<4xi32>
    nvvm.tcgen05.wait #nvvm.tcgen05_wait<load>
    nvvm.tcgen05.st %t, %r {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<4xi32>
    nvvm.tcgen05.st %t, %r unpack {shape = #nvvm.tcgen05_ldst_shape<shape_16x256b>} : vector<4xi32>
    nvvm.tcgen05.st %t, %r, %c3 {shape = #nvvm.tcgen05_ldst_shape<shape_16x32bx2>} : vector<4xi32>
    nvvm.tcgen05.mma %t, %d, %d, %n, %p {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1)
    nvvm.tcgen05.mma %t, %t, %d, %n, %p {kind = #nvvm.tcgen05_mma_kind<tf32>, ctaGroup = #nvvm.cta_group<cta_1>, aShift} : (!llvm.ptr<6>, !llvm.ptr<6>, i64, i32, i1)
    nvvm.tcgen05.mma %t, %d, %d, %n, %p scale = %c3 {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>, collectorOp = #nvvm.tcgen05_mma_collectorop<fill>} : (!llvm.ptr<6>, i64, i64, i32, i1, i64)
    nvvm.tcgen05.mma %t, %d, %d, %n, %p mask = %mask {kind = #nvvm.tcgen05_mma_kind<i8>, ctaGroup = #nvvm.cta_group<cta_1>, collectorOp = #nvvm.tcgen05_mma_collectorop<lastuse>} : (!llvm.ptr<6>, i64, i64, i32, i1, vector<4xi32>)
    nvvm.tcgen05.mma.sp %t, %d, %d, %n, %p, %t {kind = #nvvm.tcgen05_mma_kind<f8f6f4>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1, !llvm.ptr<6>)
    nvvm.tcgen05.mma.block_scale %t, %d, %d, %n, %p, %t, %t {kind = #nvvm.block_scale_kind<mxf8f6f4>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1, !llvm.ptr<6>, !llvm.ptr<6>)
    nvvm.tcgen05.mma.block_scale %t, %d, %d, %n, %p, %t, %t {kind = #nvvm.block_scale_kind<mxf4nvf4>, ctaGroup = #nvvm.cta_group<cta_1>, blockScale = #nvvm.tcgen05_mma_block_scale<block16>} : (!llvm.ptr<6>, i64, i64, i32, i1, !llvm.ptr<6>, !llvm.ptr<6>)
    nvvm.tcgen05.mma.sp.block_scale %t, %d, %d, %n, %p, %t, %t, %t {kind = #nvvm.block_scale_kind<mxf4>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1, !llvm.ptr<6>, !llvm.ptr<6>, !llvm.ptr<6>)
    nvvm.tcgen05.mma.ws %t, %d, %d, %n, %p {kind = #nvvm.tcgen05_mma_kind<f16>} : (!llvm.ptr<6>, i64, i64, i32, i1)
    nvvm.tcgen05.mma.ws %t, %d, %d, %n, %p, %d {kind = #nvvm.tcgen05_mma_kind<f16>, collectorBBuffer = #nvvm.tcgen05_mma_collectorb<b2>, collectorOp = #nvvm.tcgen05_mma_collectorop<use>} : (!llvm.ptr<6>, i64, i64, i32, i1, i64)
    nvvm.tcgen05.mma.ws.sp %t, %d, %d, %n, %p, %t {kind = #nvvm.tcgen05_mma_kind<f16>} : (!llvm.ptr<6>, i64, i64, i32, i1, !llvm.ptr<6>)
    llvm.store %0, %o : i32, !llvm.ptr<1>
    llvm.store %1, %o : vector<4xi32>, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @tcgen05_2(%s: !llvm.ptr<3>, %g: !llvm.ptr, %t: !llvm.ptr<6>, %n: i32, %m: i16, %d: i64, %p: i1, %mask: vector<8xi32>) attributes {nvvm.kernel} {
    nvvm.tcgen05.alloc %s, %n {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<3>, i32
    nvvm.tcgen05.dealloc %t, %n {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<6>, i32
    nvvm.tcgen05.relinquish_alloc_permit {group = #nvvm.cta_group<cta_2>}
    nvvm.tcgen05.commit %s {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<3>
    nvvm.tcgen05.commit %s, multicast_mask = %m {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<3>, i16
    nvvm.tcgen05.shift %t {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<6>
    nvvm.tcgen05.cp %t, %d {shape = #nvvm.tcgen05_cp_shape<shape_128x256b>, group = #nvvm.cta_group<cta_2>}
    nvvm.tcgen05.mma %t, %d, %d, %n, %p mask = %mask {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_2>} : (!llvm.ptr<6>, i64, i64, i32, i1, vector<8xi32>)
    nvvm.tcgen05.mma.block_scale %t, %d, %d, %n, %p, %t, %t {kind = #nvvm.block_scale_kind<mxf8f6f4>, ctaGroup = #nvvm.cta_group<cta_2>, blockScale = #nvvm.tcgen05_mma_block_scale<block32>} : (!llvm.ptr<6>, i64, i64, i32, i1, !llvm.ptr<6>, !llvm.ptr<6>)
    llvm.return
  }
}
