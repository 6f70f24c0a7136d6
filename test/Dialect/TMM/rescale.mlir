// RUN: tc-opt %s -split-input-file -verify-diagnostics | tc-opt -split-input-file | FileCheck %s

#rows = #tcgen05.rows
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @rows
  gpu.func @rows(%factors: vector<128x1xf32>) kernel {
    %acc = tmm.alloc : <128x64xf32, #tcgen05.tmem>
    // CHECK: tmm.rescale %{{.*}} by %{{.*}} layout(#tcgen05.rows) role("correct") : !{{.*}}, vector<128x1xf32>
    tmm.rescale %acc by %factors layout(#rows) role("correct") : !tmm.buffer<128x64xf32, #tcgen05.tmem>, vector<128x1xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @tmm_rescale_c1(%factors: vector<128x2xf32>) kernel {
    %acc = tmm.alloc : <128x64xf32, #tcgen05.tmem>
    // expected-error @+1 {{'tmm.rescale' op expected factors of 'vector<128x1xf32>', got 'vector<128x2xf32>'}}
    tmm.rescale %acc by %factors layout(#tcgen05.rows) : !tmm.buffer<128x64xf32, #tcgen05.tmem>, vector<128x2xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @tmm_rescale_c1_integers(%factors: vector<128x1xi32>) kernel {
    %acc = tmm.alloc : <128x64xi32, #tcgen05.tmem>
    // expected-error @+1 {{'tmm.rescale' op expected acc of floats, got 'i32'}}
    tmm.rescale %acc by %factors layout(#tcgen05.rows) : !tmm.buffer<128x64xi32, #tcgen05.tmem>, vector<128x1xi32>
    gpu.return
  }
}
