// RUN: tc-opt %s -split-input-file -verify-diagnostics

#rows = #tmm.thread_rows<threads = 32, chunk = 4, rows = 1>
func.func @tmm_reduce_c1_rows(%x: vector<8x128xf32>) {
  // expected-error @below {{expected a result of 'vector<8x1xf32>', got 'vector<4x1xf32>'}}
  %s = tmm.reduce <add> %x layout(#rows) : vector<8x128xf32> -> vector<4x1xf32>
  return
}

// -----

#rows = #tmm.thread_rows<threads = 32, chunk = 4, rows = 1>
func.func @tmm_reduce_c1_columns(%x: vector<8x128xf32>) {
  // expected-error @below {{expected a result of 'vector<8x1xf32>', got 'vector<8x2xf32>'}}
  %s = tmm.reduce <add> %x layout(#rows) : vector<8x128xf32> -> vector<8x2xf32>
  return
}

// -----

#rows = #tmm.thread_rows<threads = 32, chunk = 4, rows = 1>
func.func @tmm_reduce_c1_type(%x: vector<8x128xf32>) {
  // expected-error @below {{expected a result of 'vector<8x1xf32>', got 'vector<8x1xf64>'}}
  %s = tmm.reduce <add> %x layout(#rows) : vector<8x128xf32> -> vector<8x1xf64>
  return
}

// -----

#rows = #tmm.thread_rows<threads = 32, chunk = 4, rows = 1>
func.func @tmm_reduce_c2(%x: vector<8x128xf64>) {
  // expected-error @below {{expected a kind for 'f64', got xor}}
  %s = tmm.reduce <xor> %x layout(#rows) : vector<8x128xf64> -> vector<8x1xf64>
  return
}

// -----

#rows = #tmm.thread_rows<threads = 32, chunk = 4, rows = 1>
func.func @tmm_reduce_c2_bits(%x: vector<8x128xbf16>) {
  // expected-error @below {{expected a minimum or maximum of 'bf16', or a tile of f32, got add}}
  %s = tmm.reduce <add> %x layout(#rows) : vector<8x128xbf16> -> vector<8x1xbf16>
  return
}

// -----

#rows = #tmm.thread_rows<threads = 32, chunk = 4, rows = 1>
func.func @tmm_broadcast_c1(%s: vector<8x2xf32>) {
  // expected-error @below {{expected values of 'vector<8x1xf32>', got 'vector<8x2xf32>'}}
  %x = tmm.broadcast %s layout(#rows) : vector<8x2xf32> -> vector<8x128xf32>
  return
}

// -----

#square = #tmm.thread_rows<threads = 8, chunk = 8, rows = 1>
func.func @tmm_transpose_c1(%x: vector<64x128xbf16>) {
  // expected-error @below {{expected a result of the rows and columns of 'vector<64x128xbf16>' exchanged, got 'vector<64x128xbf16>'}}
  %t = tmm.transpose %x layout(#square) : vector<64x128xbf16> -> vector<64x128xbf16>
  return
}

// -----

#square = #tmm.thread_rows<threads = 8, chunk = 8, rows = 1>
func.func @tmm_transpose_c1_type(%x: vector<64x128xbf16>) {
  // expected-error @below {{expected a result of the rows and columns of 'vector<64x128xbf16>' exchanged, got 'vector<128x64xf16>'}}
  %t = tmm.transpose %x layout(#square) : vector<64x128xbf16> -> vector<128x64xf16>
  return
}

// -----

func.func @tmm_crop_c1(%x: vector<64x32xf32>, %i: i32) {
  // expected-error @below {{expected a fill of 'f32', got 'i32'}}
  %c = tmm.crop %x[%i, %i] to [%i, %i] fill 1 : i32 : vector<64x32xf32>
  return
}

// -----

#rows = #tmm.thread_rows<threads = 8, chunk = 4, rows = 1>
func.func @tmm_gather_places(%x: memref<?x?xf32>, %places: vector<4x1xi32>, %i: i32) {
  // expected-error @below {{expected operand places and the result to be of one column and as many rows, got 'vector<4x1xi32>' and 'vector<8x1xf32>'}}
  %c = tmm.gather %x[%i, %places] layout(#rows) : memref<?x?xf32>, vector<4x1xi32> -> vector<8x1xf32>
  return
}

// -----

#rows = #tmm.thread_rows<threads = 8, chunk = 4, rows = 1>
func.func @tmm_gather_source(%x: memref<?x?xf16>, %places: vector<4x1xi32>, %i: i32) {
  // expected-error @below {{expected operand source to be a matrix or a vector of element type 'f32', got 'memref<?x?xf16>'}}
  %c = tmm.gather %x[%i, %places] layout(#rows) : memref<?x?xf16>, vector<4x1xi32> -> vector<4x1xf32>
  return
}

// -----

// tmm_thread_rows_c1
// expected-error @below {{expected threads of a row to be a power of two up to 1024, got 48}}
#threads = #tmm.thread_rows<threads = 48, chunk = 4, rows = 1>

// -----

// expected-error @below {{expected threads of a row to be a power of two up to 1024, got 2048}}
#many = #tmm.thread_rows<threads = 2048, chunk = 4, rows = 1>

// -----

// expected-error @below {{expected a chunk to be a power of two up to 16, got 32}}
#chunk = #tmm.thread_rows<threads = 32, chunk = 32, rows = 1>

// -----

// expected-error @below {{expected at least 1 row of a thread, got 0}}
#none = #tmm.thread_rows<threads = 32, chunk = 4, rows = 0>
