// RUN: tc-opt %s -convert-sm90-to-nvvm | FileCheck %s

// CHECK-LABEL: func.func @mbarrier
func.func @mbarrier(%s: memref<64xi8, #gpu.address_space<workgroup>>, %n: index, %parity: i32) {
  // CHECK: %[[BARS:.*]] = llvm.getelementptr %{{.*}}[32] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %bars = sm90.mbarrier.view %s[32] : memref<64xi8, #gpu.address_space<workgroup>> to !sm90.mbarrier_array<4>
  // CHECK: %[[B:.*]] = llvm.getelementptr %[[BARS]][3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
  %b = sm90.mbarrier.get %bars[3] : !sm90.mbarrier_array<4>
  // CHECK: %[[N:.*]] = llvm.trunc %{{.*}} : i64 to i32
  // CHECK: %[[WIDE:.*]] = llvm.zext %[[N]] : i32 to i64
  // CHECK: %[[BYTES:.*]] = llvm.mul %[[WIDE]], %{{.*}} overflow<nuw> : i64
  // CHECK: llvm.getelementptr %[[BARS]][%[[BYTES]]] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
  %bn = sm90.mbarrier.get %bars[%n] : !sm90.mbarrier_array<4>
  // CHECK: %[[COUNT:.*]] = llvm.mlir.constant(128 : i32) : i32
  // CHECK: nvvm.mbarrier.init %[[B]], %[[COUNT]] : !llvm.ptr<3>, i32
  sm90.mbarrier.init %b, 128 : !sm90.mbarrier
  // CHECK: nvvm.mbarrier.init
  sm90.mbarrier.init %bn, 1 : !sm90.mbarrier
  // Each of an array.
  // CHECK: nvvm.mbarrier.init %[[BARS]], %[[ONE:.*]] : !llvm.ptr<3>, i32
  // CHECK: %[[B1:.*]] = llvm.getelementptr %[[BARS]][1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
  // CHECK: nvvm.mbarrier.init %[[B1]], %[[ONE]]
  // CHECK: %[[B2:.*]] = llvm.getelementptr %[[BARS]][2] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
  // CHECK: nvvm.mbarrier.init %[[B2]], %[[ONE]]
  // CHECK: %[[B3:.*]] = llvm.getelementptr %[[BARS]][3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
  // CHECK: nvvm.mbarrier.init %[[B3]], %[[ONE]]
  // CHECK-NOT: nvvm.mbarrier.init
  sm90.mbarrier.init %bars, 1 : !sm90.mbarrier_array<4>
  // CHECK: nvvm.fence.mbarrier.init
  sm90.fence_mbarrier_init
  // CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i32) : i32
  // CHECK: nvvm.mbarrier.arrive %[[B]], %[[FOUR]] : !llvm.ptr<3> -> i64
  sm90.mbarrier.arrive %b, 4 : !sm90.mbarrier
  // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(32768 : i32) : i32
  // CHECK: nvvm.mbarrier.arrive.expect_tx %[[B]], %[[BYTES]] : !llvm.ptr<3>, i32 -> i64
  sm90.mbarrier.arrive_expect_tx %b, 32768 : !sm90.mbarrier
  // CHECK: scf.while : () -> () {
  // CHECK-NEXT: %[[DONE:.*]] = nvvm.mbarrier.try_wait %[[B]], %{{.*}} : !llvm.ptr<3>, i32 -> i1
  // CHECK-NEXT: %[[TRUE:.*]] = arith.constant true
  // CHECK-NEXT: %[[AGAIN:.*]] = arith.xori %[[DONE]], %[[TRUE]] : i1
  // CHECK-NEXT: scf.condition(%[[AGAIN]])
  sm90.mbarrier.wait_parity %b, %parity : !sm90.mbarrier
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
  sm90.fence_proxy_async all
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  sm90.fence_proxy_async shared_cta
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cluster>}
  sm90.fence_proxy_async shared_cluster
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
  sm90.fence_proxy_async global
  // CHECK: nvvm.fence.sync_restrict {order = #nvvm.mem_order<release>}
  sm90.fence_sync_restrict release
  // CHECK: nvvm.fence.sync_restrict {order = #nvvm.mem_order<acquire>}
  sm90.fence_sync_restrict acquire
  // CHECK: nvvm.elect.sync -> i1
  %leader = sm90.elect
  return
}

// Barriers of another CTA have addresses in the window of the cluster; what
// crosses CTAs is ordered at the scope of the cluster.
// CHECK-LABEL: func.func @cluster
func.func @cluster(%bars: !sm90.mbarrier_array<4>, %rank: i32, %b: !sm90.mbarrier, %parity: i32) {
  // CHECK: %[[PEERS:.*]] = nvvm.mapa %{{.*}}, %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
  %peers = sm90.mbarrier.map %bars, %rank : !sm90.mbarrier_array<4>
  // CHECK: %[[PEER:.*]] = llvm.getelementptr %[[PEERS]][2] : (!llvm.ptr<7>) -> !llvm.ptr<7>, i64
  %peer = sm90.mbarrier.get %peers[2] : !sm90.cluster_mbarrier_array<4>
  // CHECK: nvvm.mbarrier.arrive %[[PEER]], %{{.*}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>{{$}}
  sm90.mbarrier.arrive %peer : !sm90.cluster_mbarrier
  // CHECK: nvvm.mbarrier.arrive.expect_tx %[[PEER]], %{{.*}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32{{$}}
  sm90.mbarrier.arrive_expect_tx %peer, 128 : !sm90.cluster_mbarrier
  // CHECK: nvvm.mbarrier.try_wait %{{.*}}, %{{.*}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
  sm90.mbarrier.wait_parity %b, %parity cluster : !sm90.mbarrier
  // CHECK: nvvm.mbarrier.arrive %[[PEER]], %{{.*}} {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>{{$}}
  sm90.mbarrier.arrive %peer relaxed : !sm90.cluster_mbarrier
  // CHECK: nvvm.mbarrier.arrive.expect_tx %[[PEER]], %{{.*}} {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32{{$}}
  sm90.mbarrier.arrive_expect_tx %peer, 128 relaxed : !sm90.cluster_mbarrier
  // CHECK: nvvm.mbarrier.try_wait %{{.*}}, %{{.*}} {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
  sm90.mbarrier.wait_parity %b, %parity relaxed cluster : !sm90.mbarrier
  // CHECK: nvvm.cluster.arrive {aligned}
  sm90.cluster_arrive
  // CHECK: nvvm.cluster.wait {aligned}
  sm90.cluster_wait
  // CHECK: nvvm.griddepcontrol wait
  sm90.griddepcontrol wait
  // CHECK: nvvm.griddepcontrol launch_dependents
  sm90.griddepcontrol launch_dependents
  // CHECK: nvvm.setmaxregister increase 168
  sm90.set_max_registers increase 168
  // CHECK: nvvm.setmaxregister decrease 40
  sm90.set_max_registers decrease 40
  return
}

// Barriers that pass through loops are converted with them.
// CHECK-LABEL: func.func @loop
func.func @loop(%b0: !sm90.mbarrier, %b1: !sm90.mbarrier, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for {{.*}} -> (!llvm.ptr<3>, !llvm.ptr<3>)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %b0, %y = %b1) -> (!sm90.mbarrier, !sm90.mbarrier) {
    sm90.mbarrier.arrive %x : !sm90.mbarrier
    scf.yield %y, %x : !sm90.mbarrier, !sm90.mbarrier
  }
  return
}
