// Regions that share columns, one after the other, and halves of the same columns: 128 + 512 columns, and
// two of 512 with 64 lanes, fit 512, and each gives back what was stored.
// RUN: tc-compile %s -o %t.ptx
// RUN: tc-run %t.ptx --schedule=eager,lazy,random:1,random:2 --races=strict --out=arg0=%t.bin
// RUN: %python -c "import array; a = array.array('i', open(r'%t.bin', 'rb').read()); \
// RUN:   assert all(list(a[4 * t:4 * t + 4]) == [1000 + t, 2000 + t, 3000 + t, 4000 + t] for t in range(128)), list(a[:16])"
!out = memref<128x4xi32>
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
    gpu.func @k(%d: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %tid = gpu.thread_id x
      %t = arith.index_cast %tid : index to i32
      %c1000 = arith.constant 1000 : i32
      %v1 = arith.addi %t, %c1000 : i32
      %v2 = arith.addi %v1, %c1000 : i32
      %v3 = arith.addi %v2, %c1000 : i32
      %v4 = arith.addi %v3, %c1000 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %a = tcgen05.reserve : !tcgen05.tmem<128x128xi32, D>
      %b = tcgen05.reserve : !tcgen05.tmem<128x512xi32, D>
      %e = tcgen05.reserve : !tcgen05.tmem<64x512xi32, F>
      %f = tcgen05.reserve : !tcgen05.tmem<64x512xi32, F>
      %ma = tcgen05.warp_window %a : !tcgen05.tmem<128x128xi32, D>
      %pa = tcgen05.slice %ma[0] : !tcgen05.tmem<32x128xi32, D> to !tcgen05.tmem<32x1xi32, D>
      %x1 = vector.broadcast %v1 : i32 to vector<1xi32>
      tcgen05.st %x1, %pa : vector<1xi32> to !tcgen05.tmem<32x1xi32, D>
      tcgen05.wait st
      %la = tcgen05.ld %pa : !tcgen05.tmem<32x1xi32, D> to vector<1xi32>
      %wa = tcgen05.wait ld(%la : vector<1xi32>)
      vector.store %wa, %d[%tid, %c0] : !out, vector<1xi32>
      tcgen05.fence before
      gpu.barrier
      tcgen05.fence after
      %mb = tcgen05.warp_window %b : !tcgen05.tmem<128x512xi32, D>
      %pb = tcgen05.slice %mb[0] : !tcgen05.tmem<32x512xi32, D> to !tcgen05.tmem<32x1xi32, D>
      %x2 = vector.broadcast %v2 : i32 to vector<1xi32>
      tcgen05.st %x2, %pb : vector<1xi32> to !tcgen05.tmem<32x1xi32, D>
      tcgen05.wait st
      %lb = tcgen05.ld %pb : !tcgen05.tmem<32x1xi32, D> to vector<1xi32>
      %wb = tcgen05.wait ld(%lb : vector<1xi32>)
      vector.store %wb, %d[%tid, %c1] : !out, vector<1xi32>
      tcgen05.fence before
      gpu.barrier
      tcgen05.fence after
      %me = tcgen05.warp_window %e : !tcgen05.tmem<64x512xi32, F>
      %pe = tcgen05.slice %me[0] : !tcgen05.tmem<16x512xi32, F> to !tcgen05.tmem<16x2xi32, F>
      %x3 = vector.broadcast %v3 : i32 to vector<1xi32>
      tcgen05.st %x3, %pe shape "16x64b" : vector<1xi32> to !tcgen05.tmem<16x2xi32, F>
      %mf = tcgen05.warp_window %f : !tcgen05.tmem<64x512xi32, F>
      %pf = tcgen05.slice %mf[0] : !tcgen05.tmem<16x512xi32, F> to !tcgen05.tmem<16x2xi32, F>
      %x4 = vector.broadcast %v4 : i32 to vector<1xi32>
      tcgen05.st %x4, %pf shape "16x64b" : vector<1xi32> to !tcgen05.tmem<16x2xi32, F>
      tcgen05.wait st
      %le = tcgen05.ld %pe shape "16x64b" : !tcgen05.tmem<16x2xi32, F> to vector<1xi32>
      %lf = tcgen05.ld %pf shape "16x64b" : !tcgen05.tmem<16x2xi32, F> to vector<1xi32>
      %we, %wf = tcgen05.wait ld(%le, %lf : vector<1xi32>, vector<1xi32>)
      vector.store %we, %d[%tid, %c2] : !out, vector<1xi32>
      vector.store %wf, %d[%tid, %c3] : !out, vector<1xi32>
      gpu.return
    }
  }
  func.func @host(%d: !out) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%d : !out)
    return
  }
}
