"""What runs of the ladder: rungs, features, K-block counts, tile counts and tails.

A point says one value of each axis and becomes a `Gemm` with its configuration.
`pairwise` chooses points that together hold every pair of values of two axes;
`random_points` draws them for a campaign.
"""
import dataclasses
import itertools
import random

from .gemm import Gemm

BLOCK = 64  # elements of K in a block of 16-bit types: 128 bytes


@dataclasses.dataclass(frozen=True)
class Rung:
    """Fields of the configuration; `depth` and the tile are chosen per point."""
    config: str
    is_pair: bool = False
    depths: tuple = (2, 3, 4)


# docs/Ladder.md. The default names nothing but the tile.
RUNGS = {
    "v1": Rung("roles=none swizzle=none accumulator-stages=1", depths=(1, )),
    "v2": Rung("roles=none accumulator-stages=1", depths=(1, )),
    "v3": Rung("roles=none accumulator-stages=1"),
    "v4": Rung("roles=specialized accumulator-stages=1"),
    "v5": Rung("roles=specialized accumulator-stages=1 cta-group=2", is_pair=True),
    "v6": Rung("roles=specialized accumulator-stages=2 cta-group=2", is_pair=True),
    "persistent": Rung("roles=specialized accumulator-stages=2"),
    "registers": Rung("roles=specialized cta-group=2 epilogue-registers=144", is_pair=True),
    "pair_alone": Rung("roles=none accumulator-stages=2 cta-group=2", is_pair=True),
}

# Each alone and with every rung: fields of Gemm, and fields of the configuration.
FEATURES = {
    "f32": ({}, ""),
    "bf16": ({"out_type": "bf16"}, ""),
    "f16": ({"in_type": "f16", "out_type": "f16"}, ""),
    "accumulate": ({"accumulate": True}, ""),
    "accumulate_bf16": ({"accumulate": True, "out_type": "bf16"}, "epilogue-subtile=32"),
    "bias_relu": ({"steps": (("add", "row", "f32"), "relu"), "out_type": "bf16"}, ""),
    "scale_residual": ({"steps": (("mul", "column", "f32"), ("add", "full", "bf16"), "silu")}, "epilogue-subtile=16"),
    "gelu": ({"steps": (("add", "row", "bf16"), "gelu_erf"), "out_type": "bf16"}, ""),
    "transposed_a": ({"transpose_a": True}, ""),
    "transposed_b": ({"transpose_b": False, "out_type": "bf16"}, ""),
    "transposed_both": ({"transpose_a": True, "transpose_b": False, "in_type": "f16"}, ""),
    "dynamic": ({"dynamic": True, "out_type": "bf16"}, ""),
    "dynamic_bias": ({"dynamic": True, "steps": (("add", "row", "f32"), ("scale", 0.5))}, ""),
    "raster": ({"out_type": "bf16"}, "raster=2"),
    "swizzle_64": ({"out_type": "bf16"}, "swizzle=64B"),
    "swizzle_32": ({"out_type": "bf16", "transpose_b": False}, "swizzle=32B"),
    "batch": ({"batch": 3, "out_type": "bf16"}, ""),
    "batch_bias": ({"batch": 2, "steps": (("add", "row", "f32"), "relu"), "transpose_b": False}, ""),
    "batch_dynamic": ({"batch": 2, "dynamic": True, "transpose_a": True}, "raster=1"),
    "store_direct": ({"out_type": "bf16"}, "epilogue=direct"),
    "store_ring_1": ({"out_type": "bf16", "steps": ("relu", )}, "store-stages=1"),
    "store_ring_3": ({"out_type": "f16", "in_type": "f16"}, "store-stages=3 epilogue-subtile=32"),
    "hints": ({"out_type": "bf16"}, "cache-hint-a=evict-last cache-hint-b=evict-first pdl=on"),
    "pdl_residual": ({"steps": (("add", "full", "f32"), )}, "pdl=on"),
}

# Blocks of K against the depth of the ring.
BLOCKS = {
    "0": lambda depth: 0,
    "1": lambda depth: 1,
    "depth-1": lambda depth: depth - 1,
    "depth": lambda depth: depth,
    "depth+1": lambda depth: depth + 1,
    "2*depth+1": lambda depth: 2 * depth + 1,
}

# Tiles along M and N, and CTAs resident: one tile, fewer than CTA groups, more.
TILES = {"one": ((1, 1), 4), "fewer": ((1, 3), 8), "more": ((3, 2), 2), "many": ((2, 5), 4)}

TAILS = {"none": "", "m": "m", "n": "n", "k": "k", "all": "mnk"}

AXES = {"rung": RUNGS, "feature": FEATURES, "blocks": BLOCKS, "tiles": TILES, "tail": TAILS}


@dataclasses.dataclass(frozen=True)
class Point:
    rung: str
    feature: str
    blocks: str
    tiles: str
    tail: str
    draw: int = 0  # chooses what the axes leave open: depth, tile, how long the tails are

    @property
    def name(self):
        return "-".join([self.rung, self.feature, self.blocks, self.tiles, self.tail, str(self.draw)])

    def gemm(self):
        rung = RUNGS[self.rung]
        fields, config = FEATURES[self.feature]
        (rows, columns), sms = TILES[self.tiles]
        # Not hash(): that differs from process to process.
        chance = random.Random(self.name)
        depth = chance.choice(rung.depths)
        is_n_major = not fields.get("transpose_b", True)
        # An N-major B of a pair is cut into halves of whole swizzle atoms.
        widths = (128, 256) if is_n_major and rung.is_pair else (64, 128, 192) if is_n_major else (32, 64, 96, 128)
        # 64 rows are in other lanes of Tensor Memory.
        tile_m, tile_n = 256 if rung.is_pair else chance.choice((64, 128, 128)), chance.choice(widths)
        m, n = rows * tile_m, columns * tile_n
        k = BLOCK * BLOCKS[self.blocks](depth)
        # Rows that TMA reads are multiples of 16 bytes: what is contiguous in
        # memory ends on 8 elements. M of a row-major A ends anywhere; so does N,
        # of a K-major B.
        if "m" in TAILS[self.tail]:
            longest = min(tile_m, 128) - 8
            m -= chance.randrange(8, longest, 8) if fields.get("transpose_a") else chance.randrange(1, longest)
        # Rows of D that are no multiple of 16 bytes cannot go through TMA stores.
        if "n" in TAILS[self.tail]:
            is_ring = "store-stages" in config or chance.randrange(2)
            n -= chance.randrange(8, 32, 8) if is_n_major or is_ring else chance.randrange(1, 32)
        if "k" in TAILS[self.tail]:
            k = max(0, k - chance.randrange(8, BLOCK, 8))
        options = f"{rung.config} tile={tile_m}x{tile_n}x{BLOCK} stages={depth} sms={sms} {config}".split()
        # What the feature says wins: v1 with a swizzle is v2.
        config = " ".join("=".join(item) for item in dict(option.split("=") for option in options).items())
        return Gemm((m, n, k), config=config, **fields)


def _pairs(values):
    return set(itertools.combinations(enumerate(values), 2))


def pairwise(least):
    """At least `least` points that together hold every pair of values of two axes, each pair as often as it takes."""
    chance = random.Random(1)
    chosen, draw = [], 0
    while len(chosen) < least:
        missing = set()
        for (i, first), (j, second) in itertools.combinations(enumerate(AXES.values()), 2):
            missing |= {((i, a), (j, b)) for a in first for b in second}
        while missing:
            # The best of some candidates, each seeded with a pair that is missing.
            best, most = None, 0
            for pair in chance.sample(sorted(missing), min(12, len(missing))):
                values = [chance.choice(list(axis)) for axis in AXES.values()]
                for index, value in pair:
                    values[index] = value
                count = len(_pairs(values) & missing)
                if count > most:
                    best, most = values, count
            chosen.append(Point(*best, draw))
            missing -= _pairs(best)
        draw += 1
    return chosen


def random_points(count, seed):
    chance = random.Random(seed)
    return [Point(*(chance.choice(list(axis)) for axis in AXES.values()), draw=f"{seed}.{index}")
            for index in range(count)]
