// RUN: tc-opt --split-input-file --verify-diagnostics %s

// expected-error @below {{expected rows x columns, got 3 dimensions}}
func.func private @buffer_rank(!tmm.buffer<2x128x64xbf16, smem>)

// -----

// expected-error @below {{expected positive rows and columns, got 0x64}}
func.func private @buffer_empty(!tmm.buffer<0x64xbf16, smem>)

// -----

// expected-error @below {{expected an integer or float element type, got 'index'}}
func.func private @buffer_element(!tmm.buffer<128x64xindex, smem>)

// -----

// expected-error @below {{expected the memory space smem or tmem, got gmem}}
func.func private @buffer_space(!tmm.buffer<128x64xbf16, gmem>)

// -----

// expected-error @below {{expected a swizzle of 0, 32, 64 or 128 bytes, got 48}}
func.func private @layout_swizzle() attributes {l = #tmm.layout<k_major, swizzle = 48>}

// -----

// expected-error @below {{expected a layout only in smem, got one in tmem}}
func.func private @layout_in_tmem(!tmm.buffer<128x64xf32, tmem, <k_major, swizzle = 128>>)

// -----

// expected-error @below {{expected at least one buffer in a slot, got none}}
func.func private @pipeline_empty(!tmm.pipeline<(), depth = 1>)

// -----

// expected-error @below {{expected a depth of at least 1, got 0}}
func.func private @pipeline_depth(!tmm.pipeline<(<128x64xbf16, smem>), depth = 0>)
