"""tc under torch: a model by one line, an operation by itself, and the same kernels without a GPU.

    python examples/torch_compile.py

needs the Python package and torch. On a machine with a Hopper or Blackwell GPU the model runs there; without one the
emulator computes what a B200's kernels would, and reports races.
"""
import torch
import tc.torch

device = "cuda" if torch.cuda.is_available() else "cpu"
width, rows = (4096, 4096) if device == "cuda" else (64, 48)


class Mlp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.up = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, 3 * width)
        self.down = torch.nn.Linear(3 * width, width)

    def forward(self, x):
        return x + self.down(torch.nn.functional.silu(self.gate(x)) * self.up(x))


torch.manual_seed(0)
model = Mlp().to(device, torch.bfloat16)
x = torch.randn(rows, width, device=device, dtype=torch.bfloat16)

# The line: products with what surrounds them by tc, the rest by Inductor (here there is none).
fast = torch.compile(model, backend="tc")

with torch.no_grad(), tc.torch.options(races="strict"):
    difference = (fast(x).float() - model(x).float()).abs().max().item()
print(f"largest difference to eager torch: {difference:.3g}")
print(tc.torch.report())  # the share of tc's kernels, and why it is not more

# An operation by itself, with gradients.
weight = torch.randn(width, width, device=device, dtype=torch.bfloat16, requires_grad=True)
tc.torch.matmul(x, weight, epilogue="gelu").sum().backward()
print("gradient of the weight:", tuple(weight.grad.shape))
