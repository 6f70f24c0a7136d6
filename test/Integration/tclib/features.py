"""What a case of the tests has, in the words of docs/Support.md: its unit, the types of its operands, its features.

A case is a data class with some of the fields chip, config, shape, transpose_a, transpose_b, batch, accumulate, fused,
in_type, b_type and half, or one that holds such a case as `matmul` or `product`.
"""

TYPES = ("bf16, f16", "tf32", "fp8", "8-bit integers", "sums in f16")
# Features, and the field of the configuration that asks for them.
CONFIGURED = {"clusters with multicast": "cluster=", "two roles in ping-pong": "roles=ping-pong",
              "late release of slots": "late-release=on", "parts of K": "split-k=", "tiles by a counter": "scheduler=counter",
              "operands without TMA": "load-", "dependent launches": "pdl=on"}
FEATURES = ("every order of A and B", "batches", "accumulation into D", "fused epilogues", "sizes that no tile divides", *CONFIGURED)


def unit_of(chip, config):
    if "unit=mma-sync" in config or chip not in ("sm_90a", "sm_100a", "sm_103a"):
        return "mma.sync"
    return "wgmma" if chip == "sm_90a" else "tcgen05"


def types_of(case):
    names = {"bf16": TYPES[0], "f16": TYPES[0], "f32": TYPES[1], "i8": TYPES[3], "ui8": TYPES[3]}
    kind = getattr(case, "in_type", "")
    return ([names.get(kind, TYPES[2])] if kind else []) + [TYPES[4]] * bool(getattr(case, "half", False))


def of(case, chip="", more=()):
    """(unit, "types" or "features", what it is) of all that a case has. `chip` is that of cases without one, `more` what all
    cases of a test have."""
    inner = getattr(case, "matmul", getattr(case, "product", case))
    config = getattr(inner, "config", "")
    unit = unit_of(getattr(case, "chip", chip), config)
    asks = {"every order of A and B": getattr(inner, "transpose_a", False) or getattr(inner, "transpose_b", False),
            "batches": getattr(inner, "batch", 0), "accumulation into D": getattr(inner, "accumulate", False),
            "fused epilogues": getattr(inner, "fused", False),
            # Tiles have a multiple of 16 rows.
            "sizes that no tile divides": any(size % 16 for size in getattr(inner, "shape", ())[:1])}
    asks |= {name: field in config for name, field in CONFIGURED.items()}
    return [(unit, "types", name) for name in types_of(inner)] + \
        [(unit, "features", name) for name in FEATURES if asks[name] or name in more]
