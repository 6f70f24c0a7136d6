// A matmul with a schedule by hand, in a stock mlir-opt of LLVM 22. To the command line of mlir-opt a user adds the
// plugin, lib/TCPlugin.so of a build folder or an installation, and names the passes that it has:
//
//   mlir-opt --load-dialect-plugin=lib/TCPlugin.so --load-pass-plugin=lib/TCPlugin.so examples/mlir-opt.mlir \
//     --pass-pipeline='builtin.module(transform-interpreter,tc-lower-to-nvvm{chip=sm_90a})'
//
// transform.structured, transform.bufferization and the interpreter are upstream's, transform.tmm is the plugin's.

func.func @linear(%x: tensor<512x1024xbf16>, %w: tensor<1024x768xbf16>, %residual: tensor<512x768xf32>,
                  %out: tensor<512x768xf32>) -> tensor<512x768xf32> {
  %product = tmm.matmul ins(%x, %w : tensor<512x1024xbf16>, tensor<1024x768xbf16>) outs(%out : tensor<512x768xf32>)
    -> tensor<512x768xf32>
  %sum = linalg.add ins(%product, %residual : tensor<512x768xf32>, tensor<512x768xf32>) outs(%out : tensor<512x768xf32>)
    -> tensor<512x768xf32>
  %result = linalg.tanh ins(%sum : tensor<512x768xf32>) outs(%out : tensor<512x768xf32>) -> tensor<512x768xf32>
  return %result : tensor<512x768xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.consumed}) {
    // What is computed from the product joins its kernel.
    %product = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %fused = transform.tmm.fuse_epilogue %product : (!transform.any_op) -> !transform.any_op

    // Tensors become buffers, which kernels read and write.
    %module = transform.bufferization.one_shot_bufferize layout{IdentityLayoutMap} %root
      {bufferize_function_boundaries = true} : (!transform.any_op) -> !transform.any_op

    // Two fields are given, the model chooses the others. The kernel is outlined and its roles are assigned.
    %matmul = transform.structured.match ops{["tmm.matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.tmm.configure %matmul "tile=128x128x64 stages=4" for "sm_90a" : !transform.any_op
    %kernel, %launch = transform.tmm.tile %matmul for "sm_90a" : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.tmm.assign_roles %kernel : !transform.any_op
    transform.yield
  }
}
