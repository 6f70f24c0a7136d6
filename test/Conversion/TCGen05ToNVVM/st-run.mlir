// Columns that the threads of a CTA store to Tensor Memory are what they load: thread
// t writes and reads back 64 * t + c to column c of its lane, in two halves.
// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: tc-run %t.ptx --schedule=eager,lazy,random:1 --races=strict --out=arg0=%t.bin
// RUN: %python -c "import array,sys; a = array.array('f', open(sys.argv[1], 'rb').read()); sys.exit(a.tolist() != list(range(8192)))" %t.bin

// CHECK: tcgen05.st.sync.aligned.32x32b.x32.b32
// CHECK: tcgen05.st.sync.aligned.32x32b.x32.b32
// CHECK: tcgen05.wait::st.sync.aligned;
// CHECK: tcgen05.ld.sync.aligned.32x32b.x64.b32
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
    gpu.func @k(%d: memref<128x64xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : i32
      %low = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0,
          16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0]> : vector<32xf32>
      %thirtytwo = arith.constant dense<32.0> : vector<32xf32>
      %tid = gpu.thread_id x
      %t = arith.index_cast %tid : index to i32
      %first = arith.muli %t, %c64 : i32
      %number = arith.sitofp %first : i32 to f32
      %base = vector.broadcast %number : f32 to vector<32xf32>
      %left = arith.addf %base, %low : vector<32xf32>
      %right = arith.addf %left, %thirtytwo : vector<32xf32>
      %all = tcgen05.reserve : !tcgen05.tmem<128x64xf32, D>
      %mine = tcgen05.warp_window %all : !tcgen05.tmem<128x64xf32, D>
      %p0 = tcgen05.slice %mine[0] : !tcgen05.tmem<32x64xf32, D> to !tcgen05.tmem<32x32xf32, D>
      %p1 = tcgen05.slice %mine[32] : !tcgen05.tmem<32x64xf32, D> to !tcgen05.tmem<32x32xf32, D>
      tcgen05.st %right, %p1 : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
      tcgen05.st %left, %p0 : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
      tcgen05.wait st
      %v = tcgen05.ld %mine : !tcgen05.tmem<32x64xf32, D> to vector<64xf32>
      %w = tcgen05.wait ld(%v : vector<64xf32>)
      vector.store %w, %d[%tid, %c0] : memref<128x64xf32>, vector<64xf32>
      gpu.return
    }
  }
  func.func @host(%d: memref<128x64xf32>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%d : memref<128x64xf32>)
    return
  }
}
