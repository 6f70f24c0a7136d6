"""Values of the fields of --config: legal ones for some problem, and some that no problem has."""

# Field, values that some problems take, values that none takes.
FIELDS = {
    "tile": (["64x64x64", "128x128x64", "128x64x64", "64x128x64", "256x128x64", "128x96x64", "128x256x64", "128x128x128",
              "64x16x64", "128x24x64", "64x64x32", "64x64x16", "192x64x64"],
             ["0x128x64", "128x128", "100x128x64", "128x7x64", "128x512x64", "4096x128x64", "128x128x3", "axbxc", "-64x64x64"]),
    "unit": (["tcgen05", "wgmma"], ["mma", "1", ""]),
    "cta-group": (["1", "2"], ["0", "3", "two"]),
    "cluster": (["1x1", "2x1", "1x2", "2x2", "4x1", "1x4"], ["0x1", "3", "100x1", "-1x1", "4x4x4"]),
    "stages": (["1", "2", "3", "4", "7"], ["0", "-1", "many", "99999999999999999999", "1000"]),
    "scale-stages": (["1", "2"], ["0", "x"]),
    "swizzle": (["128B", "64B", "32B", "none"], ["96B", "128", "yes"]),
    "cache-hint-a": (["none", "evict-normal", "evict-first", "evict-last"], ["evict", "1"]),
    "cache-hint-b": (["none", "evict-normal", "evict-first", "evict-last"], ["evict-all", "-"]),
    "accumulator-stages": (["1", "2", "3", "4"], ["0", "600", "x"]),
    "scheduler": (["static", "clc", "counter"], ["dynamic", "0"]),
    "raster": (["0", "1", "2", "8", "16"], ["-1", "x"]),
    "sms": (["1", "2", "3", "148"], ["0", "-5", "x"]),
    "pdl": (["off", "on"], ["maybe", "1"]),
    "epilogue": (["direct", "tma-store"], ["store", "tma_stor"]),
    "epilogue-subtile": (["16", "32", "8", "64"], ["0", "-8", "x"]),
    "store-stages": (["1", "2", "3"], ["0", "x"]),
    "roles": (["none", "specialized"], ["some", "2"]),
    "epilogue-registers": (["0", "128", "160", "240"], ["-8", "100000", "x"]),
}
NO_FIELDS = ["stage=2", "tile 128x128x64", "=2", "stages", "tile=64x64x64,stages=2", "größe=1"]


def choose(rng, chip):
    """The option, "" for none, and whether some problem could take it."""
    draw = rng.random()

    def pick(values):
        return values[int(rng.integers(len(values)))]

    if draw < 0.6:
        return "", True
    names = [str(name) for name in rng.permutation(list(FIELDS))[:int(rng.integers(1, 4))]]
    parts = [f"{name}={pick(FIELDS[name][0])}" for name in names]
    if draw < 0.93:
        return " ".join(parts), True
    bad = pick(NO_FIELDS) if rng.random() < 0.1 else f"{names[0]}={pick(FIELDS[names[0]][1])}"
    return " ".join([*parts[1:], bad]), False
