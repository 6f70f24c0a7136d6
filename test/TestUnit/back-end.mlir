// REQUIRES: test-lib
// RUN: tc-opt %s --mlir-print-local-scope -tmm-assign-roles -tmm-materialize-pipelines -tmm-release-early -tmm-pipeline | FileCheck %s --check-prefix=RINGS
// RUN: tc-opt %s --mlir-print-local-scope -tmm-assign-roles -tmm-materialize-pipelines -tmm-release-early -tmm-pipeline -tmm-warp-specialize -tmm-skew-pipelines -canonicalize -cse | FileCheck %s --check-prefix=ROLES
// RUN: tc-opt --mlir-print-local-scope %s -tmm-assign-roles -tmm-materialize-pipelines -tmm-release-early -tmm-pipeline -tmm-warp-specialize -tmm-skew-pipelines -canonicalize -cse \
// RUN:   -tmm-lower-scheduler -tmm-await-work -convert-tmm-pipelines-to-sm90 -canonicalize -cse | FileCheck %s --check-prefix=SIGNALS
// RUN: tc-opt --mlir-print-local-scope %s -tmm-assign-roles -tmm-materialize-pipelines -tmm-release-early -tmm-pipeline -tmm-warp-specialize -tmm-skew-pipelines -canonicalize -cse \
// RUN:   -tmm-lower-scheduler -tmm-await-work -convert-tmm-pipelines-to-sm90 -convert-tmm-roles-to-sm90 -canonicalize -cse | FileCheck %s --check-prefix=BRANCHES

// A back end that exists only in tests, through the middle: tiles in banks, a
// mover that counts bytes and sends them to the next CTA too, a scanner that
// completes with commits, a systolic engine whose work is pending when the op
// returns, in a role with two instances that take turns, and work as the payload
// of a pipeline that every role reads.

!raw = !tmm.buffer<96x40xi8, #test_unit.bank<96>>
!side = !tmm.buffer<8x24xi16, #test_unit.bank<96>>
!mid = !tmm.buffer<96x16xf32, #test_unit.bank<96>>
!answer = !tmm.buffer<1x2xi64, #test_unit.bank<96>>

// RINGS-LABEL: gpu.func @k
// RINGS-DAG: tmm.pipeline stages(2) : <(<1x2xi64, #test_unit.bank<96>>), depth = 2>
// RINGS-DAG: tmm.pipeline stages(3) : <(<96x40xi8, #test_unit.bank<96>>, <8x24xi16, #test_unit.bank<96>>), depth = 3>
// RINGS-DAG: tmm.pipeline stages(2) : <(<96x16xf32, #test_unit.bank<96>>), depth = 2>
// RINGS: tmm.request_work %{{.*}} by(#test_unit.dealer) role("move")
// RINGS: test_unit.move %[[FREE:.*]]#0 to(#test_unit.neighbours<4>) role("move")
// RINGS: test_unit.move %[[FREE]]#1 role("move")
// RINGS: test_unit.scan %[[FULL:.*]]#0, %[[FULL]]#1 to %{{.*}} role("scan")
// RINGS: test_unit.combine {{.*}} role("combine")
// RINGS: tmm.store {{.*}} role("combine")
// RINGS: tmm.query_work %{{.*}} by(#test_unit.dealer) :
// RINGS: tmm.producer_tail

// The elected roles are those of engines that one thread issues to. Each role has
// its ends and the answers; an instance of `combine` skips what is not its turn.
// It makes as many transactions in a turn as there are K-blocks, so turns are a
// pipeline of their own; the last instance passes the first of them.
// ROLES-LABEL: gpu.func @k
// ROLES-SAME: known_block_size = array<i32: 320, 1, 1>
// ROLES-DAG: %[[RAWS:.*]] = tmm.pipeline stages(3)
// ROLES-DAG: %[[MIDS:.*]] = tmm.pipeline stages(2) : <(<96x16xf32
// ROLES-DAG: %[[TURNS:.*]] = tmm.pipeline stages(2) : <(<1x1xi1, #tmm.turn>), depth = 2>
// ROLES: tmm.warp_specialize "combine" warps(4) turns(2) {
// ROLES: tmm.skip %[[TURNS]]
// ROLES: scf.while
// ROLES: %[[MINE:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// ROLES: scf.if %[[MINE]]
// ROLES-NEXT: %[[TURN:.*]] = tmm.consumer_wait %[[TURNS]]
// ROLES-NEXT: tmm.take_turn %[[TURN]]
// ROLES-NEXT: tmm.consumer_release %[[TURNS]]
// ROLES:   scf.for
// ROLES:   tmm.consumer_wait %[[MIDS]]
// ROLES:   test_unit.combine
// ROLES:   tmm.consumer_release %[[MIDS]]
// ROLES:   scf.yield
// ROLES-NEXT: }
// ROLES-NEXT: %[[NEXT:.*]] = tmm.producer_acquire %[[TURNS]]
// ROLES-NEXT: tmm.pass_turn %[[NEXT]]
// ROLES-NEXT: tmm.producer_commit %[[TURNS]]
// ROLES-NEXT: tmm.store
// ROLES: else
// ROLES:   tmm.skip %[[MIDS]][%{{.*}}] by %{{.*}} :
// ROLES-COUNT-2: tmm.skip %[[TURNS]]
// ROLES: tmm.query_work
// ROLES: } "combine" warps(4) turns(2) {
// ROLES: tmm.pass_turn
// ROLES: scf.while
// ROLES: %[[MINE:.*]] = arith.cmpi eq, %{{.*}}, %c1_i32
// ROLES: scf.if %[[MINE]]
// ROLES:   test_unit.combine
// ROLES: else
// ROLES:   tmm.skip %[[MIDS]]
// ROLES: tmm.query_work
// ROLES: } "move" warps(1) elected {
// ROLES:   tmm.request_work
// ROLES:   test_unit.move
// ROLES:   test_unit.move
// ROLES-NOT: {{test_unit\.(scan|combine)}}
// ROLES:   tmm.query_work
// ROLES: } "scan" warps(1) elected {
// ROLES-NOT: test_unit.move
// ROLES:   test_unit.scan
// ROLES-NOT: test_unit.combine
// ROLES:   tmm.query_work

// Arrivals of one transaction. The answer: its bytes; read by 2 * 128 threads of
// the instances of `combine`, one of `move` and one of `scan`. The tiles: bytes;
// released by the scanner of the CTA and by that of the next one, which gets its
// copies. The sums: a commit; released by the warpgroup whose turn it is. A turn:
// passed and taken by the 128 threads of an instance.
// SIGNALS-LABEL: gpu.func @k
// SIGNALS-DAG: tmm.storage : <<96x40xi8, #test_unit.bank<96>>, depth = 3>
// SIGNALS-DAG: tmm.storage : <<8x24xi16, #test_unit.bank<96>>, depth = 3>
// SIGNALS-DAG: tmm.storage : <<96x16xf32, #test_unit.bank<96>>, depth = 2>
// The scanner of CTA c releases the slots of c to the movers of c and c - 1.
// SIGNALS: %[[M1:.*]] = arith.select %{{.*}}, %c3_i16, %c9_i16
// SIGNALS: %[[M2:.*]] = arith.select %{{.*}}, %c6_i16, %[[M1]]
// SIGNALS: %[[MASK:.*]] = arith.select %{{.*}}, %c12_i16, %[[M2]]
// SIGNALS: tmm.storage : <<1x2xi64, #test_unit.bank<96>>, depth = 2>
// SIGNALS: tmm.issue {
// SIGNALS-COUNT-2: sm90.mbarrier.init %{{.*}}, 1 : !sm90.mbarrier_array<2>
// SIGNALS: sm90.mbarrier.init %{{.*}}, 1 : !sm90.mbarrier_array<3>
// SIGNALS: sm90.mbarrier.init %{{.*}}, 2 : !sm90.mbarrier_array<3>
// SIGNALS: sm90.mbarrier.init %{{.*}}, 1 : !sm90.mbarrier_array<2>
// SIGNALS: sm90.mbarrier.init %{{.*}}, 258 : !sm90.mbarrier_array<2>
// SIGNALS-COUNT-2: sm90.mbarrier.init %{{.*}}, 128 : !sm90.mbarrier_array<2>
// SIGNALS-NEXT: sm90.fence_mbarrier_init
// SIGNALS-NEXT: }
// SIGNALS-NEXT: sm90.cluster_arrive
// SIGNALS-NEXT: sm90.cluster_wait
// The scheduler's arithmetic, once.
// SIGNALS-NEXT: %[[TILES:.*]] = arith.ceildivui %{{.*}}, %c96_i32
// SIGNALS-NEXT: arith.subi %[[TILES]], %c1_i32
// Work in flight is awaited before the slot is released, by one thread of the
// warpgroup; what is added to next has come out of the wait.
// SIGNALS: tmm.warp_specialize "combine" warps(4) turns(2) {
// SIGNALS: tmm.take_turn
// SIGNALS: scf.for
// SIGNALS: sm90.mbarrier.wait_parity %{{[^ ]*}}, %{{[^ ]*}} : !sm90.mbarrier
// SIGNALS-NEXT: test_unit.fence async{{$}}
// SIGNALS: %[[PENDING:.*]] = test_unit.combine
// SIGNALS-NEXT: %[[SUM:.*]] = tmm.await %[[PENDING]] by(#test_unit.systolic) pending 0
// SIGNALS-NEXT: test_unit.fence before async{{$}}
// SIGNALS: arith.remui %{{.*}}, %c128_i32
// SIGNALS: scf.if
// SIGNALS: sm90.mbarrier.arrive %
// SIGNALS: scf.yield %[[SUM]],
// SIGNALS: tmm.pass_turn
// The instance whose turn it is not counts the slots and does not arrive.
// SIGNALS: } else {
// SIGNALS-NOT: {{mbarrier|scf.for}}
// SIGNALS: scf.yield
// SIGNALS: tmm.query_work
// SIGNALS-NEXT: test_unit.fence before async
// SIGNALS: sm90.mbarrier.arrive %
// SIGNALS: } "combine" warps(4) turns(2) {
// SIGNALS: } "move" warps(1) elected {
// SIGNALS: tmm.request_work %{{.*}} signal %[[A:[^ ]*]] :
// SIGNALS-NEXT: test_unit.expect %[[A]], 16 :
// The mover waits for the scanner of another CTA too: its fence knows. Bytes of
// the slot: 96 * 40 + 2 * 8 * 24.
// SIGNALS: test_unit.fence async crosses
// SIGNALS: test_unit.move %{{.*}} signal %[[T:[^ ]*]] :
// SIGNALS-NEXT: test_unit.move %{{.*}} signal %[[T]] :
// SIGNALS-NEXT: test_unit.expect %[[T]], 4224 :
// SIGNALS: } "scan" warps(1) elected {
// SIGNALS: test_unit.scan
// SIGNALS: test_unit.commit %{{[^ ]*}} ctas 1
// SIGNALS: test_unit.commit %{{[^ ]*}} mask %[[MASK]] ctas 1

// Four branches of warps, two of them of one elected thread.
// BRANCHES-LABEL: gpu.func @k
// BRANCHES-NOT: tmm.warp_specialize
// BRANCHES: %[[WARP:.*]] = arith.divui %{{.*}}, %c32_i32
// BRANCHES: arith.cmpi ult, %[[WARP]], %c4_i32
// BRANCHES: test_unit.combine
// BRANCHES-DAG: arith.cmpi ult, %[[WARP]], %c8_i32
// BRANCHES-DAG: arith.cmpi uge, %[[WARP]], %c4_i32
// BRANCHES: test_unit.combine
// BRANCHES: arith.cmpi eq, %[[WARP]], %c8_i32
// BRANCHES: sm90.elect
// BRANCHES: test_unit.move
// BRANCHES: arith.cmpi eq, %[[WARP]], %c9_i32
// BRANCHES: sm90.elect
// BRANCHES: test_unit.scan
// BRANCHES-NOT: tmm.issue
gpu.module @m {
  gpu.func @k(%d: memref<?x16xf32>, %m: i32, %n: i32) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    tmm.role "combine" warps(4) turns(2) of "tiles" drives [#test_unit.systolic, #tmm.threads]
    tmm.role "move" warps(1) drives [#test_unit.mover, #test_unit.dealer]
    tmm.role "scan" warps(1) drives [#test_unit.scanner]
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : vector<96x16xf32>
    %sched = tmm.scheduler #test_unit.countdown(%m, %n, %n) tile [96, 16, 40] : !tmm.scheduler
    %first = tmm.first_work %sched : !tmm.work
    %last = scf.while (%work = %first) : (!tmm.work) -> !tmm.work {
      %valid = tmm.work_valid %sched, %work : i1
      scf.condition(%valid) %work : !tmm.work
    } do {
    ^bb0(%work: !tmm.work):
      tmm.loop "tiles"
      %answer = tmm.alloc stages(2) : !answer
      tmm.request_work %answer by(#test_unit.dealer) : !answer
      %row, %col, %block, %count = tmm.work_tile %sched, %work : i32
      %sum = scf.for %i = %c0 to %count step %c1 iter_args(%part = %zero) -> (vector<96x16xf32>) : i32 {
        %raw = tmm.alloc stages(3) : !raw
        %side = tmm.alloc stages(3) : !side
        %mid = tmm.alloc stages(2) : !mid
        test_unit.move %raw to(#test_unit.neighbours<4>) : !raw
        test_unit.move %side : !side
        test_unit.scan %raw, %side to %mid : !raw, !side to !mid
        %next = test_unit.combine %mid, %part : !mid, vector<96x16xf32>
        scf.yield %next : vector<96x16xf32>
      }
      tmm.store %sum, %d[%row, %col] : vector<96x16xf32>, memref<?x16xf32>
      %number = tmm.query_work %answer by(#test_unit.dealer) : !answer
      %then = tmm.work_at %sched, %number : !tmm.work
      scf.yield %then : !tmm.work
    }
    gpu.return
  }
}
