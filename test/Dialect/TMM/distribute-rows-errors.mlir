// RUN: tc-opt %s --tmm-distribute --split-input-file --verify-diagnostics

#row = #tmm.thread_rows<threads = 64, chunk = 1, rows = 1>
gpu.module @kernels {
gpu.func @reduce_below_branch(%some: i1) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  scf.if %some {
    %t = arith.constant dense<0.0> : vector<1x64xf32>
    // expected-error @below {{'tmm.reduce' op expected all threads of the CTA, which exchange what they hold through shared memory, got it in scf.if}}
    %s = tmm.reduce <add> %t layout(#row) : vector<1x64xf32> -> vector<1x1xf32>
  }
  gpu.return
}
}

// -----

// In one warp nothing is exchanged through shared memory.
#row = #tmm.thread_rows<threads = 32, chunk = 1, rows = 1>
gpu.module @kernels {
gpu.func @reduce_in_warp(%some: i1) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  scf.if %some {
    %t = arith.constant dense<0.0> : vector<1x32xf32>
    %s = tmm.reduce <add> %t layout(#row) : vector<1x32xf32> -> vector<1x1xf32>
  }
  gpu.return
}
}

// -----

#square = #tmm.thread_rows<threads = 4, chunk = 4, rows = 1>
gpu.module @kernels {
gpu.func @transpose_below_branch(%some: i1) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  scf.if %some {
    %t = arith.constant dense<0.0> : vector<16x16xf32>
    // expected-error @below {{'tmm.transpose' op expected all threads of the CTA, which exchange what they hold through shared memory, got it in scf.if}}
    %s = tmm.transpose %t layout(#square) : vector<16x16xf32> -> vector<16x16xf32>
  }
  gpu.return
}
}

// -----

// The result has 24 columns, of which 4 threads of 4 elements hold 16.
#wide = #tmm.thread_rows<threads = 4, chunk = 4, rows = 1>
gpu.module @kernels {
gpu.func @transpose_shape() kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
  %t = arith.constant dense<0.0> : vector<24x16xf32>
  // expected-error @below {{'tmm.transpose' op expected a layout that fits 16 rows and 24 columns, too}}
  %s = tmm.transpose %t layout(#wide) : vector<24x16xf32> -> vector<16x24xf32>
  gpu.return
}
}

// -----

// 12 chunks of a row cannot be permuted by the bits of their numbers.
#wide = #tmm.thread_rows<threads = 4, chunk = 2, rows = 1>
gpu.module @kernels {
gpu.func @transpose_chunks() kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
  %t = arith.constant dense<0.0> : vector<24x24xf32>
  // expected-error @below {{'tmm.transpose' op expected a layout whose runs have one length, a power of two, of which rows have a power of two}}
  %s = tmm.transpose %t layout(#wide) : vector<24x24xf32> -> vector<24x24xf32>
  gpu.return
}
}

// -----

// A thread of #tcgen05.rows holds a row as one run: of 64 elements, then of 128.
gpu.module @kernels {
gpu.func @transpose_runs() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  %t = arith.constant dense<0.0> : vector<128x64xf32>
  // expected-error @below {{'tmm.transpose' op expected a layout whose runs have one length, a power of two, of which rows have a power of two}}
  %s = tmm.transpose %t layout(#tcgen05.rows) : vector<128x64xf32> -> vector<64x128xf32>
  gpu.return
}
}

// -----

#rows = #tmm.thread_rows<threads = 8, chunk = 4, rows = 2>
gpu.module @kernels {
gpu.func @tmm_thread_rows_c2_columns(%x: memref<?x40xf32>, %row: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  // expected-error @below {{'tmm.fetch' op expected a register tile whose rows are a multiple of 2 and whose columns of 32, got 16, 40}}
  %t = tmm.fetch %x[%row, %row] layout(#rows) : memref<?x40xf32> -> vector<16x40xf32>
  gpu.return
}
}

// -----

#rows = #tmm.thread_rows<threads = 8, chunk = 4, rows = 2>
gpu.module @kernels {
gpu.func @tmm_thread_rows_c2_rows(%x: memref<?x32xf32>, %row: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  // expected-error @below {{'tmm.fetch' op expected a register tile whose rows are a multiple of 2 and whose columns of 32, got 15, 32}}
  %t = tmm.fetch %x[%row, %row] layout(#rows) : memref<?x32xf32> -> vector<15x32xf32>
  gpu.return
}
}

// -----

#rows = #tmm.thread_rows<threads = 8, chunk = 4, rows = 1>
gpu.module @kernels {
gpu.func @tmm_row_values_c1(%x: memref<?x2xf32>, %row: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  // expected-error @below {{'tmm.fetch' op expected a register tile of one column, got 8, 2}}
  %t = tmm.fetch %x[%row, %row] layout(#tmm.row_values<#rows, columns = 32>) : memref<?x2xf32> -> vector<8x2xf32>
  gpu.return
}
}

// -----

#rows = #tmm.thread_rows<threads = 8, chunk = 4, rows = 1>
gpu.module @kernels {
gpu.func @tmm_row_values_c1_layout(%x: memref<?x1xf32>, %row: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  // expected-error @below {{'tmm.fetch' op expected a register tile whose rows are a multiple of 1 and whose columns of 32, got 8, 40}}
  %t = tmm.fetch %x[%row, %row] layout(#tmm.row_values<#rows, columns = 40>) : memref<?x1xf32> -> vector<8x1xf32>
  gpu.return
}
}

// -----

// The values of rows of another layout.
#rows = #tmm.thread_rows<threads = 8, chunk = 4, rows = 1>
#other = #tmm.thread_rows<threads = 4, chunk = 4, rows = 1>
gpu.module @kernels {
gpu.func @other_values(%x: memref<?x32xf32>, %o: memref<?x1xf32>, %row: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %t = tmm.fetch %x[%row, %row] layout(#rows) : memref<?x32xf32> -> vector<8x32xf32>
  // expected-note @below {{made or taken here}}
  %s = tmm.reduce <add> %t layout(#rows) : vector<8x32xf32> -> vector<8x1xf32>
  // expected-error @below {{expected its register tile in layout #tmm.row_values<#tmm.thread_rows<threads = 4, chunk = 4, rows = 1>, columns = 32>, got one in #tmm.row_values<#tmm.thread_rows<threads = 8, chunk = 4, rows = 1>, columns = 32>}}
  tmm.store %s, %o[%row, %row] layout(#tmm.row_values<#other, columns = 32>) : vector<8x1xf32>, memref<?x1xf32>
  gpu.return
}
}

// -----

// Bits without a byte each.
#rows = #tmm.thread_rows<threads = 8, chunk = 4, rows = 1>
gpu.module @kernels {
gpu.func @bits(%x: memref<?x32xi1>, %row: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  // expected-error @below {{expected bytes in global memory, each an element of 1 bit, got 'i1': convert-tmm-kernel-interface-to-sm90 makes them}}
  %t = tmm.fetch %x[%row, %row] layout(#rows) : memref<?x32xi1> -> vector<8x32xi1>
  gpu.return
}
}
