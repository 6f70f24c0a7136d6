// RUN: tc-opt %s --convert-tmm-tiles --split-input-file --verify-diagnostics

!a = !tmm.buffer<64x32xi32, #sm90.smem<k_major, b128>>
!b = !tmm.buffer<24x32xi32, #sm90.smem<k_major, b128>>
gpu.module @kernels {
gpu.func @type(%index: i32, %acc: vector<12xf32>, %more: i1) kernel {
  %as = tmm.storage : !tmm.storage<!a, depth = 4>
  %bs = tmm.storage : !tmm.storage<!b, depth = 4>
  %a = tmm.slot %as[%index] : !tmm.storage<!a, depth = 4>
  %b = tmm.slot %bs[%index] : !tmm.storage<!b, depth = 4>
  // expected-error @below {{failed to legalize operation 'tmm.mma' that was explicitly marked illegal}}
  %new = tmm.mma %a, %b, %acc accumulate(%more) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
    : !a, !b, vector<12xf32> -> vector<12xf32>
  gpu.return
}
}

// -----

!a = !tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>
!b = !tmm.buffer<24x32xbf16, #sm90.smem<k_major, b64>>
gpu.module @kernels {
gpu.func @whole(%index: i32, %acc: vector<64x24xf32>, %more: i1) kernel {
  %as = tmm.storage : !tmm.storage<!a, depth = 4>
  %bs = tmm.storage : !tmm.storage<!b, depth = 4>
  %a = tmm.slot %as[%index] : !tmm.storage<!a, depth = 4>
  %b = tmm.slot %bs[%index] : !tmm.storage<!b, depth = 4>
  // A tile that is not dealt to threads: run tmm-distribute first.
  // expected-error @below {{failed to legalize operation 'tmm.mma' that was explicitly marked illegal}}
  %new = tmm.mma %a, %b, %acc accumulate(%more) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
    : !a, !b, vector<64x24xf32> -> vector<64x24xf32>
  gpu.return
}
}

// -----

!a = !tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>
!b = !tmm.buffer<24x32xbf16, #sm90.smem<k_major, b64>>
gpu.module @kernels {
gpu.func @layout(%index: i32, %acc: vector<12xf32>, %more: i1) kernel {
  %as = tmm.storage : !tmm.storage<!a, depth = 4>
  %bs = tmm.storage : !tmm.storage<!b, depth = 4>
  %a = tmm.slot %as[%index] : !tmm.storage<!a, depth = 4>
  %b = tmm.slot %bs[%index] : !tmm.storage<!b, depth = 4>
  // expected-error @below {{expected acc in layout #sm90.wgmma_layout by #sm90.wgmma, got #sm80.mma_layout<16>}}
  %new = tmm.mma %a, %b, %acc accumulate(%more) by(#sm90.wgmma) layout(#sm80.mma_layout<16>)
    : !a, !b, vector<12xf32> -> vector<12xf32>
  gpu.return
}
}
