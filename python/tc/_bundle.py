"""Kernels of a bundle, which `tc-compile --bundle` writes: tc.load_bundle. No LLVM."""
from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping

from ._errors import InputError, check_text
from ._kernel import Kernel


class Bundle(Mapping[str, Kernel]):
    """The kernels of a bundle by name, for one chip: `tc.load_bundle`.

    `chips` has for each name the chips that there are, and for each of these the sizes that the kernel was configured
    for, as "M=64"; it is right for other sizes, too. A kernel is read where it is asked for.
    """

    def __init__(self, path: str | os.PathLike[str], chip: str = ""):
        from . import _runtime
        try:
            self.path = os.fsdecode(path)
        except TypeError:
            raise InputError(f"path: expected str or os.PathLike, got {type(path).__name__}") from None
        self.chip = chip
        for what, text in (("path", self.path), ("chip", chip)):
            if not isinstance(text, str):
                raise InputError(f"{what}: expected str, got {type(text).__name__}")
            check_text(what, text)
        try:
            self._bundle = _runtime.Bundle(self.path)
        except ValueError as error:
            raise InputError(str(error)) from None
        self.chips: dict[str, dict[str, str]] = {}
        for name, its_chip, sizes in self._bundle.kernels():
            self.chips.setdefault(name, {})[its_chip] = sizes

    def kernel(self, name: str = "", chip: str = "") -> Kernel:
        """The kernel of a name ("": the only one) for a chip; "": that of the bundle. Raises InputError where there is
        none."""
        chip = chip or self.chip
        for what, text in (("name", name), ("chip", chip)):
            if not isinstance(text, str):
                raise InputError(f"{what}: expected str, got {type(text).__name__}")
            check_text(what, text)
        try:
            code, description, function = self._bundle.find(name, chip)
        except ValueError as error:
            raise InputError(str(error)) from None
        return Kernel(code, json.loads(description), name=f"{self.path}: {name}", function=function)

    def __getitem__(self, name: str) -> Kernel:
        if name not in self.chips:
            raise KeyError(name)
        return self.kernel(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.chips)

    def __len__(self) -> int:
        return len(self.chips)

    def __repr__(self) -> str:
        chips = list(dict.fromkeys(chip for one in self.chips.values() for chip in one))
        return f"<tc.Bundle {self.path}: {len(self)} kernels for {', '.join(chips) or 'no chip'}>"


def load_bundle(path: str | os.PathLike[str], *, chip: str = "") -> Bundle:
    """The kernels of a bundle (`tc-compile --bundle`) by name: `tc.load_bundle("model.tcb", chip="native")["mlp"](a, b, d)`.

    `chip` chooses where a kernel has several: "sm_90a", or "native" for the first GPU's. Opening takes microseconds,
    needs no LLVM and assembles nothing. Raises InputError where the file is no bundle, cut or of another version."""
    return Bundle(path, chip)
