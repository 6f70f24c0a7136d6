"""Modules of torch that torch_models.py exports, compiles and runs: `add(name, module, inputs, roundings, dynamic)`.

`inputs` are (shape, type) or a range of integers; `roundings` is how many times a value on its way to the result is
rounded to the narrowest type, at most; `dynamic` says which dimensions of the inputs have no size in the module.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

BF, HALF, F32, I64 = torch.bfloat16, torch.float16, torch.float32, torch.int64
MODULES = []
# What tc-compile refuses, and a part of its message: torch-mlir leaves these in a dialect of its own.
REFUSED = {"gpt_cache_update": "tm_tensor.scatter", "top_2_of_experts": "tm_tensor.sort"}


def add(name, build, *inputs, roundings=8, dynamic=None, type_=None):
    """`build` makes the module, whose parameters are of `type_`, by default that of the first input."""
    MODULES.append((name, build, inputs, roundings, dynamic, type_ or inputs[0][1]))


class Lambda(nn.Module):
    """A function of tensors as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def function(name, of, *inputs, **options):
    add(name, lambda: Lambda(of), *inputs, **options)


# Layers ---------------------------------------------------------------------------------------------------------------

for kind, label in ((BF, "bf16"), (HALF, "f16"), (F32, "f32")):
    add(f"linear_{label}", lambda: nn.Linear(64, 48), ((24, 64), kind), roundings=4)
    add(f"mlp_gelu_{label}", lambda: nn.Sequential(nn.Linear(64, 96), nn.GELU(), nn.Linear(96, 40)), ((24, 64), kind), roundings=16)
    add(f"layer_norm_linear_{label}", lambda: nn.Sequential(nn.LayerNorm(64), nn.Linear(64, 48)), ((24, 64), kind), roundings=16)
    function(f"sdpa_{label}", F.scaled_dot_product_attention, ((2, 3, 40, 32), kind), ((2, 3, 56, 32), kind), ((2, 3, 56, 32), kind),
             roundings=16)
    add(f"conv_relu_{label}", lambda: nn.Sequential(nn.Conv2d(8, 24, 3, padding=1), nn.ReLU()), ((2, 8, 12, 10), kind))

add("mlp_gelu_tanh", lambda: nn.Sequential(nn.Linear(64, 96), nn.GELU(approximate="tanh"), nn.Linear(96, 40)), ((24, 64), BF), roundings=16)
add("mlp_silu", lambda: nn.Sequential(nn.Linear(64, 96), nn.SiLU(), nn.Linear(96, 40)), ((24, 64), HALF), roundings=16)
add("linear_without_bias", lambda: nn.Linear(72, 40, bias=False), ((2, 12, 72), BF), roundings=4)
add("bilinear", lambda: nn.Bilinear(16, 24, 8), ((12, 16), F32), ((12, 24), F32), roundings=16)
add("batch_norm_eval", lambda: nn.Sequential(nn.Conv2d(8, 16, 3), nn.BatchNorm2d(16), nn.ReLU()), ((2, 8, 10, 10), F32), roundings=16)
add("group_norm", lambda: nn.Sequential(nn.GroupNorm(4, 16), nn.Conv2d(16, 24, 1)), ((2, 16, 8, 8), F32), roundings=32)
add("instance_norm", lambda: nn.InstanceNorm2d(8, affine=True), ((2, 8, 6, 7), F32), roundings=32)
add("rms_norm", lambda: nn.Sequential(nn.RMSNorm(64), nn.Linear(64, 32)), ((20, 64), BF), roundings=16)
function("softmax", lambda x: torch.softmax(x, -1), ((20, 130), BF))
function("log_softmax", lambda x: torch.log_softmax(x, -1), ((20, 130), F32), roundings=16)
function("cross_entropy", lambda x, t: F.cross_entropy(x, t), ((20, 65), F32), (65, (20, )), roundings=32)
add("embedding_linear", lambda: nn.Sequential(nn.Embedding(50, 32), nn.Linear(32, 24)), (50, (3, 11)), type_=BF)


class SwiGLU(nn.Module):

    def __init__(self, d=64, h=96):
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(d, h, bias=False), nn.Linear(d, h, bias=False), nn.Linear(h, d, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


add("swiglu", SwiGLU, ((24, 64), BF), roundings=16)
add("swiglu_dynamic", SwiGLU, ((24, 64), HALF), roundings=16, dynamic=({0: "n"}, ))

# Attention ------------------------------------------------------------------------------------------------------------

function("sdpa_causal", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), *[((2, 3, 48, 32), BF)] * 3, roundings=16)
function("sdpa_mask", lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m), *[((2, 3, 40, 32), HALF)] * 3,
         ((2, 1, 40, 40), HALF), roundings=16)
function("sdpa_grouped", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True), ((1, 4, 32, 32), BF),
         ((1, 2, 40, 32), BF), ((1, 2, 40, 32), BF), roundings=16)
function("sdpa_dynamic", F.scaled_dot_product_attention, *[((2, 3, 40, 32), HALF)] * 3, roundings=16,
         dynamic=({2: "m"}, {2: "n"}, {2: "n"}))
function("attention_by_hand", lambda q, k, v: torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(32), -1) @ v, *[((2, 3, 40, 32), BF)] * 3,
         roundings=24)


# What is added to scores: a mask of keys, the positions of T5, the slopes of ALiBi, a matrix.
for label, shape in ("keys", (2, 1, 1, 56)), ("positions", (1, 3, 40, 56)), ("slopes", (3, 1, 56)), ("matrix", (40, 56)), ("each", (2, 3, 40, 56)):
    function(f"attention_bias_{label}", lambda q, k, v, m: torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(32) + m, -1) @ v,
             ((2, 3, 40, 32), BF), ((2, 3, 56, 32), BF), ((2, 3, 56, 32), BF), (shape, BF), roundings=32)


class SelfAttention(nn.Module):

    def __init__(self, d=64, heads=4):
        super().__init__()
        self.attention = nn.MultiheadAttention(d, heads, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


class AttentionWithWeights(SelfAttention):

    def forward(self, x):
        return self.attention(x, x, x)


add("multihead_attention", SelfAttention, ((2, 20, 64), F32), roundings=64)
add("multihead_attention_weights", AttentionWithWeights, ((2, 20, 64), BF), roundings=32)
add("transformer_encoder_layer", lambda: nn.TransformerEncoderLayer(64, 4, 96, batch_first=True, dropout=0.0), ((2, 20, 64), F32), roundings=128)
add("transformer_encoder_layer_bf16", lambda: nn.TransformerEncoderLayer(64, 4, 96, batch_first=True, norm_first=True, dropout=0.0),
    ((2, 20, 64), BF), roundings=64)
add("transformer_decoder_layer", lambda: nn.TransformerDecoderLayer(64, 4, 96, batch_first=True, dropout=0.0), ((2, 20, 64), F32),
    ((2, 24, 64), F32), roundings=128)


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class Llama(nn.Module):
    """A block: RMS norms, rotary embedding, grouped heads, SwiGLU."""

    def __init__(self, d=64, heads=4, groups=2):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, d // heads
        self.q, self.o = nn.Linear(d, d, bias=False), nn.Linear(d, d, bias=False)
        self.k, self.v = (nn.Linear(d, groups * self.size, bias=False) for _ in range(2))
        self.norm1, self.norm2, self.mlp = nn.RMSNorm(d), nn.RMSNorm(d), SwiGLU(d)

    def forward(self, x):
        b, n, d = x.shape
        angles = torch.arange(n, dtype=torch.float32)[:, None] * 10000.0**(-torch.arange(self.size // 2) / (self.size // 2))
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        h = self.norm1(x)
        q, k, v = (layer(h).view(b, n, -1, self.size).transpose(1, 2) for layer in (self.q, self.k, self.v))
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        k, v = (y.repeat_interleave(self.heads // self.groups, 1) for y in (k, v))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(a.transpose(1, 2).reshape(b, n, d))
        return x + self.mlp(self.norm2(x))


add("llama_block_f32", Llama, ((2, 24, 64), F32), roundings=256)
add("llama_block_bf16", Llama, ((2, 24, 64), BF), roundings=64)


class Gpt(nn.Module):
    """A block that appends one token to a cache."""

    def __init__(self, d=64, heads=4):
        super().__init__()
        self.heads = heads
        self.norm, self.qkv, self.o = nn.LayerNorm(d), nn.Linear(d, 3 * d), nn.Linear(d, d)

    def forward(self, x, keys, values, at):
        b, n, d = x.shape
        q, k, v = (y.view(b, n, self.heads, -1).transpose(1, 2) for y in self.qkv(self.norm(x)).chunk(3, -1))
        keys, values = keys.index_copy(2, at, k), values.index_copy(2, at, v)
        seen = torch.arange(keys.shape[2]) <= at
        a = F.scaled_dot_product_attention(q, keys, values, attn_mask=seen.view(1, 1, 1, -1))
        return x + self.o(a.transpose(1, 2).reshape(b, n, d)), keys, values


add("gpt_cache_update", Gpt, ((2, 1, 64), F32), ((2, 4, 32, 16), F32), ((2, 4, 32, 16), F32), (32, (1, )), roundings=256)


class Vit(nn.Module):

    def __init__(self, d=48):
        super().__init__()
        self.patch, self.position = nn.Conv2d(3, d, 8, 8), nn.Parameter(torch.randn(1, 17, d))
        self.token = nn.Parameter(torch.randn(1, 1, d))
        self.layer = nn.TransformerEncoderLayer(d, 4, 96, batch_first=True, norm_first=True, dropout=0.0, activation="gelu")
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, 10)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat((self.token.expand(x.shape[0], -1, -1), x), 1) + self.position
        return self.head(self.norm(self.layer(x))[:, 0])


add("vit", Vit, ((2, 3, 32, 32), F32), roundings=256)

# Convolutions ---------------------------------------------------------------------------------------------------------


class Basic(nn.Module):

    def __init__(self, c=16):
        super().__init__()
        self.a, self.b = nn.Conv2d(c, c, 3, padding=1, bias=False), nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.na, self.nb = nn.BatchNorm2d(c), nn.BatchNorm2d(c)

    def forward(self, x):
        return F.relu(self.nb(self.b(F.relu(self.na(self.a(x))))) + x)


class Bottleneck(nn.Module):

    def __init__(self, c=32, h=8):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(c, h, 1, bias=False), nn.BatchNorm2d(h), nn.ReLU(), nn.Conv2d(h, h, 3, 2, 1, bias=False),
                                    nn.BatchNorm2d(h), nn.ReLU(), nn.Conv2d(h, 2 * c, 1, bias=False), nn.BatchNorm2d(2 * c))
        self.down = nn.Sequential(nn.Conv2d(c, 2 * c, 1, 2, bias=False), nn.BatchNorm2d(2 * c))

    def forward(self, x):
        return F.relu(self.layers(x) + self.down(x))


class Stem(nn.Module):

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 16, 7, 2, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(3, 2, 1), Basic(),
                                    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))

    def forward(self, x):
        return self.layers(x)


class ConvNext(nn.Module):

    def __init__(self, c=16):
        super().__init__()
        self.depth, self.norm = nn.Conv2d(c, c, 7, padding=3, groups=c), nn.LayerNorm(c)
        self.up, self.down = nn.Linear(c, 4 * c), nn.Linear(4 * c, c)

    def forward(self, x):
        y = self.norm(self.depth(x).permute(0, 2, 3, 1))
        return x + self.down(F.gelu(self.up(y))).permute(0, 3, 1, 2)


class UNet(nn.Module):

    def __init__(self):
        super().__init__()
        self.down, self.pool = nn.Sequential(nn.Conv2d(4, 8, 3, padding=1), nn.ReLU()), nn.MaxPool2d(2)
        self.mid, self.up = nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.ReLU()), nn.ConvTranspose2d(16, 8, 2, 2)
        self.out = nn.Conv2d(16, 4, 3, padding=1)

    def forward(self, x):
        a = self.down(x)
        return self.out(torch.cat((a, self.up(self.mid(self.pool(a)))), 1))


add("resnet_basic", Basic, ((2, 16, 10, 10), F32), roundings=64)
add("resnet_bottleneck", Bottleneck, ((2, 32, 12, 12), BF), roundings=32)
add("resnet_stem_to_head", Stem, ((2, 3, 32, 32), F32), roundings=64)
add("convnext_block", ConvNext, ((2, 16, 9, 9), F32), roundings=64)
add("unet", UNet, ((1, 4, 12, 12), F32), roundings=64)
add("inverted_residual", lambda: nn.Sequential(nn.Conv2d(8, 32, 1), nn.ReLU6(), nn.Conv2d(32, 32, 3, padding=1, groups=32), nn.ReLU6(),
                                               nn.Conv2d(32, 8, 1)), ((2, 8, 9, 9), HALF), roundings=32)
add("conv_1d", lambda: nn.Conv1d(12, 20, 5, 2, 2), ((2, 12, 33), BF))
add("conv_3d", lambda: nn.Conv3d(4, 8, 3, padding=1), ((1, 4, 6, 6, 6), F32), roundings=16)
add("conv_groups", lambda: nn.Conv2d(16, 24, 3, groups=4), ((2, 16, 8, 8), HALF))
add("conv_dilated_dynamic", lambda: nn.Conv2d(8, 16, 3, dilation=2), ((2, 8, 12, 12), F32), roundings=16, dynamic=({0: "n"}, ))
add("conv_transpose", lambda: nn.ConvTranspose2d(8, 12, 3, 2, 1, 1), ((2, 8, 7, 7), BF))
add("avg_pool", lambda: nn.Sequential(nn.Conv2d(8, 16, 1), nn.AvgPool2d(2)), ((2, 8, 8, 8), F32), roundings=16)
function("upsample", lambda x: F.interpolate(x, scale_factor=2, mode="nearest"), ((1, 4, 5, 6), F32))

# Recurrent ------------------------------------------------------------------------------------------------------------


class Lstm(nn.Module):

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(16, 24, batch_first=True)

    def forward(self, x):
        return self.lstm(x)[0]


class Cell(nn.Module):

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(24, 32)

    def forward(self, x, h, c):
        return self.cell(x, (h, c))


add("lstm_cell", Cell, ((8, 24), F32), ((8, 32), F32), ((8, 32), F32), roundings=64)
add("lstm", Lstm, ((4, 5, 16), F32), roundings=128)
add("gru_cell", lambda: nn.GRUCell(24, 32), ((8, 24), BF), ((8, 32), BF), roundings=32)

# Products -------------------------------------------------------------------------------------------------------------

function("bmm", torch.bmm, ((3, 20, 32), HALF), ((3, 32, 24), HALF), roundings=4)
function("baddbmm", lambda c, a, b: torch.baddbmm(c, a, b, beta=0.5, alpha=2.0), ((3, 20, 24), BF), ((3, 20, 32), BF), ((3, 32, 24), BF))
function("addmm", lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=-1.5), ((24, ), F32), ((20, 32), F32), ((32, 24), F32), roundings=16)
function("matmul_broadcast", torch.matmul, ((2, 1, 12, 32), BF), ((3, 32, 24), BF), roundings=4)
function("matmul_vector", torch.matmul, ((20, 32), F32), ((32, ), F32), roundings=8)
function("outer", torch.outer, ((20, ), F32), ((24, ), F32))
function("einsum_bhqd", lambda q, k: torch.einsum("bqhd,bkhd->bhqk", q, k), ((2, 20, 3, 32), BF), ((2, 24, 3, 32), BF), roundings=4)
function("einsum_bilinear", lambda x, w, y: torch.einsum("bi,oij,bj->bo", x, w, y), ((12, 16), F32), ((8, 16, 20), F32), ((12, 20), F32), roundings=32)
function("matmul_dynamic", torch.matmul, ((20, 32), BF), ((32, 24), BF), roundings=4, dynamic=({0: "m"}, None))
function("gram_and_trace", lambda x: (x @ x.T, (x * x).sum()), ((20, 32), F32), roundings=64)
function("variance", lambda x: torch.var(x, dim=-1), ((20, 65), F32), roundings=64)
function("squared_distances", lambda x, y: (x * x).sum(1)[:, None] + (y * y).sum(1)[None] - 2 * x @ y.T, ((12, 16), F32), ((10, 16), F32),
         roundings=64)
function("top_2_of_experts", lambda x, w: torch.topk(torch.softmax(x @ w, -1), 2)[0], ((12, 32), F32), ((32, 8), F32), roundings=64)


# Gradients ------------------------------------------------------------------------------------------------------------

def gradient(name, loss, *inputs, **options):
    """The gradients of `loss` by its inputs."""
    function(name, torch.func.grad(loss, argnums=tuple(range(len(inputs)))), *inputs, **options)


gradient("linear_gradient", lambda x, w, b: F.relu(x @ w + b).square().sum(), ((20, 32), F32), ((32, 24), F32), ((24, ), F32), roundings=64)
gradient("layer_norm_gradient", lambda x, w, b: F.layer_norm(x, (32, ), w, b).square().sum(), ((20, 32), F32), ((32, ), F32), ((32, ), F32),
         roundings=512)
gradient("attention_gradient", lambda q, k, v: (torch.softmax(q @ k.transpose(-1, -2) * 0.2, -1) @ v).square().sum(), *[((2, 20, 32), F32)] * 3,
         roundings=512)
gradient("mlp_gradient", lambda x, w1, w2: (F.gelu(x @ w1) @ w2).square().mean(), ((20, 32), BF), ((32, 48), BF), ((48, 24), BF), roundings=64)
gradient("conv_gradient", lambda x, w: F.conv2d(x, w, padding=1).square().sum(), ((2, 4, 6, 6), F32), ((8, 4, 3, 3), F32), roundings=128)
