"""The plot of docs/Ladder.md: published throughput and that of the model, rung by rung."""
from __future__ import annotations

import re
from dataclasses import dataclass

from ._errors import InputError
from ._svg import Drawing, Picture

_OPERATIONS, _CLOCK = 2 * 4096**3, 1.85e9


@dataclass
class Rung:
    """`published`: TFLOP/s of others on a B200. `predicted`: of the model in docs/Configuration.md, at 1.85 GHz. Neither
    was measured by us. None: the page has no figure."""
    name: str
    title: str
    published: float | None
    predicted: float | None


def read_rungs(page: str) -> list[Rung]:
    """The rungs of docs/Ladder.md: cycles from the table that benchmarks/ladder writes, figures of others from the next."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if re.match(r"\| v\d", line)]
    counted = [row for row in rows if len(row) == 7]
    published = {row[0]: row[2] for row in rows if len(row) == 3}
    if not counted or not published:
        raise InputError("expected the two tables of docs/Ladder.md, with rows that start with v1, v2, ...")
    rungs = []
    for row in counted:
        name, _, title = row[0].partition(": ")
        cycles = row[6].replace(",", "")
        figure = published.get(name, "")
        rungs.append(Rung(name, title, float(figure) if figure.isdigit() else None,
                          _OPERATIONS / (int(cycles) / _CLOCK) / 1e12 if cycles.isdigit() else None))
    return rungs


def draw_ladder(page: str) -> Picture:
    rungs = read_rungs(page)
    most = max(value for rung in rungs for value in (rung.published, rung.predicted) if value)
    step, base, tall = 84, 260, 200
    drawing = Drawing(80 + step * len(rungs), base + 60, "the ladder of optimisations at 4096^3 in bf16")
    drawing.text(50, 18, "TFLOP/s at 4096^3, bf16: ")
    for x, fill, name in ((200, "#7fb2dd", "published by others (B200)"), (400, "#fde0c5", "our model, not a measurement")):
        drawing.add("rect", x=x, y=9, width=10, height=10, fill=fill, stroke="#444")
        drawing.text(x + 15, 18, name)
    for mark in range(0, int(most) + 1, 500):
        y = base - tall * mark / most
        drawing.add("line", x1=46, y1=y, x2=60 + step * len(rungs), y2=y, class_="grid")
        drawing.text(42, y + 4, str(mark), text_anchor="end", font_size=9)
    for index, rung in enumerate(rungs):
        x = 60 + step * index
        group = drawing.add("g", class_="rung", data_rung=rung.name)
        for offset, fill, kind, value in ((0, "#7fb2dd", "published", rung.published),
                                          (32, "#fde0c5", "predicted", rung.predicted)):
            if value is None:
                continue
            height = tall * value / most
            drawing.add("rect", parent=group, class_="bar", data_kind=kind, data_value=value, x=x + offset, y=base - height,
                        width=28, height=height, fill=fill, stroke="#444", stroke_width=0.5,
                        tip=f"{rung.name}, {rung.title}: {value:.0f} TFLOP/s, {kind}")
            drawing.text(x + offset + 14, base - height - 4, f"{value:.0f}", parent=group, text_anchor="middle", font_size=9)
        drawing.text(x + 30, base + 16, rung.name, parent=group, text_anchor="middle", font_weight="bold")
        words = rung.title.split(",")[0].split(":")[0]
        drawing.text(x + 30, base + 32, words if len(words) < 20 else words[:18] + "…", parent=group, text_anchor="middle",
                     font_size=8)
    drawing.text(60, base + 52, "no bar: docs/Ladder.md has no figure; nothing of ours ran on a B200", font_size=9)
    return drawing.picture(rungs)
