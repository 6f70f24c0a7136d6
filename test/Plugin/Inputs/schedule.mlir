// The decisions of the pipeline by hand: what it does for tile=128x128x64 stages=4.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.consumed}) {
    %products = transform.apply_registered_pass "convert-linalg-to-tmm" to %root : (!transform.any_op) -> !transform.any_op
    %buffers = transform.bufferization.one_shot_bufferize layout{IdentityLayoutMap} %products
      {bufferize_function_boundaries = true} : (!transform.any_op) -> !transform.any_op
    %module = transform.apply_registered_pass "canonicalize" to %buffers : (!transform.any_op) -> !transform.any_op
    %matmul = transform.structured.match ops{["tmm.matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.tmm.configure %matmul "tile=128x128x64 stages=4" for "sm_90a" : !transform.any_op
    %kernels, %launches = transform.tmm.tile %matmul for "sm_90a" : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.tmm.assign_roles %kernels : !transform.any_op
    transform.yield
  }
}
