"""Pictures in SVG from what the tools print. Notebooks show them; `picture.save("file.svg")` writes them.

    from tc import pictures

    pictures.layout("F", 64)                                   # runs tc-explain
    pictures.pipelines(kernel)                                 # or the text of tc-compile --emit=roles
    pictures.timeline(kernel.trace(a, b))                      # or the file of tc-run --trace
    pictures.ladder("docs/Ladder.md")

Each has the data that it was drawn from in `data`. Needs neither numpy nor LLVM.
"""
from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass

from ._errors import InputError
from ._graph import Access, Graph, Ring, Role, draw_graph, read_graphs
from ._ladder import Rung, draw_ladder
from ._svg import Picture
from ._timeline import Event, Track, draw_timeline

__all__ = ["Access", "Cells", "Event", "Graph", "Picture", "Ring", "Role", "Rung", "Track", "ladder", "layout",
           "pipelines", "timeline"]


@dataclass(frozen=True)
class Cells:
    """Cells of a layout from (`top`, `left`) up to (`bottom`, `right`), both included: lanes and columns of Tensor Memory,
    lanes and bits, or lines of 128 bytes and units of 16 of shared memory. `name` says what is there."""
    top: int
    bottom: int
    left: int
    right: int
    name: str


def layout(*words, tool: str = "tc-explain") -> Picture:
    """Where elements are: the picture of `tc-explain layout WORDS`. `data` has what the same command lists.

    `layout("F", 64)` is an accumulator in data path layout F with 64 columns, `layout("smem", "k_major", "b128", 16, 128,
    64)` a tile of bf16 in shared memory, `layout("scales", 128)` scale factors, `layout("ld", "16x256b", 1)` the
    registers of a load. `tool` is the program, looked for on PATH.
    """
    found = shutil.which(tool)
    if not found:
        raise InputError(f"layout: expected {tool} on PATH, or its path as tool=")
    command = [found, "layout", *map(str, words)]
    listed = subprocess.run(command, capture_output=True, text=True)
    if listed.returncode:
        raise InputError(listed.stderr.strip())
    drawn = subprocess.run([*command, "--svg"], capture_output=True, text=True, check=True)
    return Picture(drawn.stdout, [_cells(line) for line in listed.stdout.splitlines()[1:]])


def _cells(line: str) -> Cells:
    found = re.fullmatch(r"  (?:lanes?|line of 128 bytes) (\d+)(?:-(\d+))? +(?:columns?|bits|unit of 16) (\d+)(?:-(\d+))? +(.*)",
                         line)
    if not found:
        raise InputError(f"layout: expected rows and columns of cells, got '{line}'")
    top, bottom, left, right, name = found.groups()
    return Cells(int(top), int(bottom or top), int(left), int(right or left), name)


def pipelines(kernel, name: str = "") -> Picture:
    """The roles of a kernel, the rings between them with their depths, and the agents that fill and read the slots.

    `kernel` is what `tc.compile` gives, or IR of level "roles" as text; `name` one of its kernels where there are
    several.
    """
    graphs = read_graphs(kernel if isinstance(kernel, str) else kernel.ir("roles"))
    chosen = [graph for graph in graphs if graph.kernel == name or not name and len(graphs) == 1]
    if not chosen:
        raise InputError("name: expected one of " + ", ".join(graph.kernel for graph in graphs) + f", got '{name}'")
    return draw_graph(chosen[0])


def timeline(trace, width: int = 960, *, kernel=None, ctas: int | None = None, span: tuple[int, int] | None = None) -> Picture:
    """What each warp and each engine did in a run: `trace` is the JSON of `Kernel.trace` or of `KernelError.timeline`, or
    the path of a file of `tc-run --trace`.

    With `kernel`, as for `pipelines`, warps have the names of their roles. `ctas` limits the picture to so many CTAs, `span`
    to the steps from one up to another.
    """
    roles = pipelines(kernel).data.roles if kernel is not None else ()
    return draw_timeline(_text(trace), width, roles, ctas, span)


def ladder(page) -> Picture:
    """The published ladder of optimisations: `page` is docs/Ladder.md, a path or its text."""
    return draw_ladder(_text(page))


def _text(source):
    """The contents of a file, or what is not the name of one as it is."""
    if isinstance(source, os.PathLike) or isinstance(source, str) and "\n" not in source and "{" not in source:
        try:
            with open(source, encoding="utf-8") as file:
                return file.read()
        except (OSError, ValueError) as error:
            raise InputError(f"expected a file: {error}") from None
    return source
