# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The set convolutions of benchmarks/device: layers of ResNet-50 and of a U-Net in bf16, channels last, beside cuDNN.

cuDNN is what torch.nn.functional.conv2d calls with torch.backends.cudnn.benchmark, on tensors in channels_last: the fastest of its
algorithms counts. A result is compared with cuDNN's.
"""
import dataclasses

from table import Table


@dataclasses.dataclass(frozen=True)
class Problem:
    batch: int
    image: int  # rows and columns
    channels: int
    filters: int
    window: int  # rows and columns
    stride: int

    @property
    def name(self):
        return f"conv-{self.batch}x{self.image}x{self.image}x{self.channels}-{self.window}x{self.window}-s{self.stride}-{self.filters}"

    @property
    def padding(self):
        return self.window // 2

    @property
    def rows(self):
        """And columns of the output."""
        return (self.image + 2 * self.padding - self.window) // self.stride + 1

    @property
    def flops(self):
        return 2 * self.batch * self.rows**2 * self.filters * self.window**2 * self.channels

    def text(self):
        padded = self.image + 2 * self.padding
        x, p = (f"tensor<{self.batch}x{size}x{size}x{self.channels}xbf16>" for size in (self.image, padded))
        w = f"tensor<{self.filters}x{self.window}x{self.window}x{self.channels}xbf16>"
        s, d = (f"tensor<{self.batch}x{self.rows}x{self.rows}x{self.filters}x{type_}>" for type_ in ("f32", "bf16"))
        pad, image = "", "%x"
        if self.padding:
            image = "%padded"
            around = f"[0, {self.padding}, {self.padding}, 0]"
            pad = (
                f"  %none = arith.constant 0.0 : bf16\n  %padded = tensor.pad %x low{around} high{around} {{\n"
                f"  ^bb0(%i: index, %j: index, %k: index, %l: index):\n    tensor.yield %none : bf16\n  }} : {x} to {p}\n"
            )
        every = "affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>"
        return f"""func.func @convolution(%x: {x}, %w: {w}) -> {d} {{
  %zero = arith.constant 0.0 : f32
{pad}  %empty = tensor.empty() : {s}
  %start = linalg.fill ins(%zero : f32) outs(%empty : {s}) -> {s}
  %sum = linalg.conv_2d_nhwc_fhwc {{strides = dense<{self.stride}> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}}
      ins({image}, %w : {p if self.padding else x}, {w}) outs(%start : {s}) -> {s}
  %out = tensor.empty() : {d}
  %narrow = linalg.generic {{indexing_maps = [{every}, {every}],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}} ins(%sum : {s}) outs(%out : {d}) {{
  ^bb0(%value: f32, %old: bf16):
    %0 = arith.truncf %value : f32 to bf16
    linalg.yield %0 : bf16
  }} -> {d}
  return %narrow : {d}
}}
"""

    @property
    def result(self):
        return self.batch, self.rows, self.rows, self.filters

    def expect(self, *inputs):
        import torch
        torch.backends.cudnn.benchmark = True
        # Seen as channels before rows, channels_last is the order in memory.
        image, weights = (tensor.permute(0, 3, 1, 2) for tensor in inputs)

        def call():
            return torch.nn.functional.conv2d(image, weights, stride=self.stride, padding=self.padding)

        return call().permute(0, 2, 3, 1).float(), {"cuDNN": call}

    def inputs(self):
        """The image and the filter, in the order of the function's arguments."""
        import torch
        generator = torch.Generator("cuda").manual_seed(1)
        return [
            torch.randn(*shape, generator=generator, device="cuda", dtype=torch.bfloat16)
            for shape in ((self.batch, self.image, self.image, self.channels), (self.filters, self.window, self.window,
                                                                                self.channels))
        ]


# Of ResNet-50, each layer that differs; and 10 of the U-Net of a diffusion model.
RESNET = ((224, 3, 64, 7, 2), (56, 64, 64, 1, 1), (56, 64, 64, 3, 1), (56, 64, 256, 1, 1), (56, 256, 64, 1, 1),
          (56, 256, 128, 1, 1), (56, 128, 128, 3, 2), (56, 256, 512, 1, 2), (28, 128, 512, 1, 1), (28, 512, 128, 1, 1),
          (28, 128, 128, 3, 1), (28, 512, 256, 1, 1), (28, 256, 256, 3, 2), (28, 512, 1024, 1, 2), (14, 256, 256, 3, 1),
          (14, 256, 1024, 1, 1), (14, 1024, 512, 1, 1), (14, 512, 512, 3, 2), (7, 512, 512, 3, 1), (7, 512, 2048, 1, 1))
UNET = ((64, 320, 320, 3, 1), (64, 320, 320, 3, 2), (32, 320, 640, 3, 1), (32, 640, 640, 3, 1), (32, 640, 640, 3, 2),
        (16, 640, 1280, 3, 1), (16, 1280, 1280, 3, 1), (8, 1280, 1280, 3, 1), (32, 1920, 640, 3, 1), (64, 640, 320, 1,
                                                                                                      1))
PROBLEMS = [Problem(batch, *layer) for batch in (64, 8, 1) for layer in RESNET + UNET]
# Tolerated are two roundings to bf16 and another order of the sums.
TABLE = Table("convolution", {"cuDNN": "cudnn_conv_us"}, 2**-7, is_tflops=False)
