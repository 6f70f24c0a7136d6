"""Pictures show what the data says: the SVG is parsed, and elements are where the data has them."""
import collections
import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import tc
from conftest import ROOT
from tc import pictures

SVG = "{http://www.w3.org/2000/svg}"


def parse(picture):
    root = ElementTree.fromstring(picture._repr_svg_())
    assert root.tag == SVG + "svg"
    return root


def groups(root, kind):
    return [group for group in root.iter(SVG + "g") if group.get("class") == kind]


def of_class(group, tag, kind):
    return [element for element in group.iter(SVG + tag) if element.get("class") == kind]


# Layouts.

def drawn_cells(picture):
    """(top, left, bottom, right) in cells, both included, and the text of each rectangle, from the SVG alone. One cell is
    the smallest step between two edges."""
    (group,) = groups(parse(picture), "cells")
    found, previous = [], None
    for element in group:
        if element.tag == SVG + "rect":
            previous = element
        elif element.tag == SVG + "text" and previous is not None:
            found.append(([float(previous.get(name)) for name in ("x", "y", "width", "height")], element.text))
            previous = None
    return found, (float(group.get("data-width")), float(group.get("data-height")))


def cells(picture, rows, columns):
    found, (width, height) = drawn_cells(picture)
    x_step, y_step = width / columns, height / rows
    return [pictures.Cells(round(y / y_step), round((y + h) / y_step) - 1, round(x / x_step), round((x + w) / x_step) - 1, text)
            for (x, y, w, h), text in found]


@pytest.mark.parametrize("words, rows, columns", [
    (("A", 128), 128, 128), (("F", 64), 128, 64), (("G", 64), 128, 16), (("scales", 128), 128, 4),
    (("scales_split", 64), 128, 1), (("metadata", 16), 128, 32), (("ld", "16x256b", 2), 16, 16),
    (("smem", "k_major", "b128", 16, 16, 64), 16, 8), (("smem", "mn_major", "b64", 8, 64, 16), 8, 8),
])
def test_rectangles_are_where_the_list_says(words, rows, columns):
    picture = pictures.layout(*words)
    assert len(picture.data) > 1 or words[0] == "A"
    assert cells(picture, rows, columns) == picture.data


def test_layout_f_has_row_m_in_the_lane_of_the_isa():
    drawn = cells(pictures.layout("F", 64), 128, 64)
    for m in range(64):
        lane = m // 16 * 32 + m % 16
        holding = [cell for cell in drawn if cell.top <= lane <= cell.bottom]
        first, last, n_first, n_last = map(int, re.fullmatch(r"rows (\d+)-(\d+), n (\d+)-(\d+)", holding[0].name).groups())
        assert len(holding) == 1 and first + lane - holding[0].top == m <= last
        assert (holding[0].left, holding[0].right) == (n_first, n_last) == (0, 63)


def test_swizzle_of_128_bytes_is_an_exclusive_or():
    for cell in cells(pictures.layout("smem", "k_major", "b128", 16, 16, 64), 16, 8):
        chunk = cell.left ^ cell.top % 8
        assert cell.name == f"mn {cell.top} k {8 * chunk}-{8 * chunk + 7}"


def colors(picture):
    """The fill of each cell by its name, and what the legend says of it."""
    root = parse(picture)
    (group,) = groups(root, "cells")
    fills = {text.text: rect.get("fill") for rect, text in zip(group.iter(SVG + "rect"), group.iter(SVG + "text"))}
    elements = list(root)
    legend = {text.text: rect.get("fill") for rect, text in zip(elements, elements[1:]) if rect.get("class") == "key"}
    return fills, legend


def test_shared_memory_has_the_colours_of_k():
    fills, legend = colors(pictures.layout("smem", "k_major", "b128", 16, 16, 64))
    assert list(legend) == [f"{k}-{k + 7}" for k in range(0, 64, 8)] and len(set(legend.values())) == 8
    assert all(fill == legend[name.split(" k ")[1]] for name, fill in fills.items())


def test_registers_have_their_colours():
    fills, legend = colors(pictures.layout("ld", "16x256b", 1))
    assert list(legend) == ["r0", "r1", "r2", "r3"] and len(set(legend.values())) == 4
    assert all(fill == legend[name.split()[1]] for name, fill in fills.items())


def test_fragment_of_16x256b():
    drawn = {cell.name: (cell.top, cell.left) for cell in cells(pictures.layout("ld", "16x256b", 1), 16, 8)}
    assert drawn == {f"t{t} r{r}": (t // 4 + r // 2 * 8, t % 4 * 2 + r % 2) for t in range(32) for r in range(4)}


def test_scale_factors_are_in_all_four_windows():
    drawn = cells(pictures.layout("scales", 128), 128, 4)
    for row in (0, 31, 32, 127):
        lanes = [cell.top + row % 32 for cell in drawn if cell.left == row // 32]
        assert lanes == [row % 32 + 32 * window for window in range(4)]


def test_bad_layout():
    with pytest.raises(tc.InputError, match="expected layout A to G and N.*got 'Q 64'"):
        pictures.layout("Q", 64)
    with pytest.raises(tc.InputError, match="expected no-such-tool on PATH"):
        pictures.layout("F", 64, tool="no-such-tool")


# Pipelines.

def graph_facts(picture):
    """(warps by role, (depth, slots drawn) by ring, accesses with their labels), from the SVG alone."""
    root = parse(picture)
    roles = {group.get("data-role"): int(group.get("data-warps")) for group in groups(root, "role")}
    rings = {group.get("data-ring"): (int(group.get("data-depth")), len(of_class(group, "rect", "slot")))
             for group in groups(root, "ring")}
    accesses = {(group.get("data-role"), group.get("data-kind"), group.get("data-ring"), text.text)
                for group in groups(root, "access") for text in group.iter(SVG + "text")}
    return roles, rings, accesses


@pytest.mark.parametrize("stages, accumulators, stores", [(3, 1, 2), (5, 2, 3)])
def test_depths_are_those_of_the_configuration(stages, accumulators, stores):
    kernel = tc.matmul(256, 128, 512, a="f16", config=f"tile=128x64x64 stages={stages} accumulator-stages={accumulators} "
                       f"epilogue=tma-store store-stages={stores}")
    picture = pictures.pipelines(kernel)
    roles, rings, accesses = graph_facts(picture)
    assert 32 * sum(roles.values()) == kernel.description["kernels"][0]["block"][0]
    loads = [ring for role, kind, ring, label in accesses if label == "writes A and B: load, sm90.tma"]
    results = [ring for role, kind, ring, label in accesses if (role, kind) == ("mma", "fill")]
    stored = [ring for role, kind, ring, label in accesses if label == "reads D: unload, sm90.tma_store"]
    assert len(loads) == len(results) == len(stored) == 1 and len(rings) == 3
    assert rings[loads[0]] == (stages, stages)
    assert rings[results[0]] == (accumulators, accumulators)
    assert rings[stored[0]] == (stores, stores)
    assert accesses == {("load", "fill", loads[0], "writes A and B: load, sm90.tma"),
                        ("mma", "read", loads[0], "reads A and B: mma, tcgen05.mma"),
                        ("mma", "fill", results[0], "writes accumulator of D: mma, tcgen05.mma"),
                        ("epilogue", "read", results[0], "reads accumulator of D: read, threads"),
                        ("epilogue", "fill", stored[0], "writes D: stage, threads"),
                        ("epilogue", "read", stored[0], "reads D: unload, sm90.tma_store")}
    assert len(picture.data.accesses) == len(accesses)


def test_scale_factors_have_a_ring():
    kernel = tc.compile((ROOT / "examples/matmul_mxfp8.mlir").read_text())
    roles, rings, accesses = graph_facts(pictures.pipelines(kernel))
    copied = {ring for _, kind, ring, label in accesses if kind == "fill" and
              label == "writes scales of A and B: copy, tcgen05.cp"}
    assert len(copied) == 1 and ("mma", "read", *copied, "reads scales of A and B: mma, tcgen05.mma") in accesses
    assert any(label == "writes A, B, scales of A and scales of B: load, sm90.tma" for _, _, _, label in accesses)


@pytest.mark.parametrize("path", ["examples/matmul_mxfp8.mlir", "test/Integration/Roles/pingpong.mlir"])
def test_nothing_of_a_picture_is_clipped(path):
    root = parse(pictures.pipelines(tc.compile((ROOT / path).read_text())))
    width, height = float(root.get("width")), float(root.get("height"))
    for text in root.iter(SVG + "text"):
        # Half of the size is what a letter takes in the fonts of a browser.
        taken = len(text.text) * float(text.get("font-size", 11)) / 2
        assert 0 <= float(text.get("x")) and float(text.get("x")) + taken <= width and 0 < float(text.get("y")) <= height


def test_instances_that_take_turns_are_apart():
    kernel = tc.compile((ROOT / "test/Integration/Roles/pingpong.mlir").read_text())
    picture = pictures.pipelines(kernel)
    roles, _, accesses = graph_facts(picture)
    assert roles == {"consumer 1": 4, "consumer 2": 4, "load": 1}
    assert {role for role, _, ring, label in accesses if label == "reads A and B: mma, sm90.wgmma"} == {"consumer 1", "consumer 2"}
    boxes = [group.find(SVG + "rect") for group in groups(parse(picture), "role")]
    assert len({(box.get("x"), box.get("y")) for box in boxes}) == 3


def test_one_thread_of_control():
    kernel = tc.matmul(128, 128, 256, a="f16", config="roles=none stages=2 epilogue=direct")
    roles, rings, accesses = graph_facts(pictures.pipelines(kernel))
    assert roles == {"": 0} and 2 in [depth for depth, _ in rings.values()]


def test_kernels_are_chosen_by_name():
    kernel = tc.compile((ROOT / "examples/mlp_fp8.mlir").read_text())
    with pytest.raises(tc.InputError, match="name: expected one of (.*), (.*), got ''") as caught:
        pictures.pipelines(kernel)
    name = re.search("one of (.*?),", str(caught.value))[1]
    assert pictures.pipelines(kernel, name).data.kernel == name
    with pytest.raises(tc.InputError, match='expected IR of level "roles"'):
        pictures.pipelines(kernel.ir("tmm"))


def test_notebook_view():
    page = tc.matmul(128, 64, 64, a="f16")._repr_html_()
    assert page.count("<svg") == 1 and "shared memory" in page and page.count("<pre>") == 1
    # A kernel of a low level has no pipelines left.
    low = tc.compile(tc.matmul(128, 64, 64, a="f16").ir("tcgen05"))
    assert "<svg" not in low._repr_html_()


# Timelines.

def check_timeline(trace, width=960):
    trace = json.loads(trace)
    root = parse(pictures.timeline(trace, width))
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in trace["traceEvents"]
             if event["name"] == "thread_name"}
    processes = {event["pid"]: event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "process_name"}
    expected = collections.Counter((processes[event["pid"]], names[event["pid"], event["tid"]])
                                   for event in trace["traceEvents"] if event["ph"] in "Xb")
    drawn = {(group.get("data-process"), group.get("data-track")): of_class(group, "rect", "event")
             for group in groups(root, "track")}
    assert {track: len(events) for track, events in drawn.items()} == expected
    # One scale for all of them, and no two on one another.
    events = [event for track in drawn.values() for event in track]
    end = max(float(event.get("data-end")) for event in events)
    scale = (width - 170) / end
    for event in events:
        assert float(event.get("x")) == pytest.approx(150 + scale * float(event.get("data-begin")), abs=0.01)
        shown = scale * (float(event.get("data-end")) - float(event.get("data-begin")))
        assert float(event.get("width")) == pytest.approx(max(shown, 1), abs=0.01)
    for track in drawn.values():
        for lane in {event.get("y") for event in track}:
            spans = sorted((float(event.get("data-begin")), float(event.get("data-end"))) for event in track
                           if event.get("y") == lane)
            assert all(before[1] <= after[0] for before, after in zip(spans, spans[1:]))
    return expected


def test_timeline_of_a_run():
    kernel = tc.matmul(256, 64, 256, a="f16")
    a, b = np.ones((256, 256), "f2"), np.ones((256, 64), "f2")
    expected = check_timeline(kernel.trace(a, b))
    assert {"warp 0", "TMA", "tensor core"} <= {track for _, track in expected}
    assert len({process for process, _ in expected}) == 2
    check_timeline(kernel.trace(a, b, schedule="lazy"), width=600)


def test_timeline_names_roles_and_shows_a_part():
    kernel = tc.matmul(256, 64, 256, a="f16")
    trace = kernel.trace(np.ones((256, 256), "f2"), np.ones((256, 64), "f2"))
    picture = pictures.timeline(trace, kernel=kernel, ctas=1, span=(100, 300))
    names = [track.name for track in picture.data]
    warps = [f": {role.name}" for role in pictures.pipelines(kernel).data.roles for _ in range(role.warps)]
    assert [name for name in names if name.startswith("warp")] == [f"warp {i}{role}" for i, role in enumerate(warps)]
    root = parse(picture)
    events = [event for group in groups(root, "track") for event in of_class(group, "rect", "event")]
    assert events and len({group.get("data-process") for group in groups(root, "track")}) == 1
    for event in events:
        assert float(event.get("data-begin")) < 300 and float(event.get("data-end")) >= 100
        assert 150 <= float(event.get("x")) and float(event.get("x")) + float(event.get("width")) <= 941
    ticks = [line for line in root.iter(SVG + "line") if line.get("class") == "grid"]
    legend = {element.get("fill") for element in root if element.get("class") == "key"}
    assert 5 <= len(ticks) <= 12 and {event.get("fill") for event in events} == legend


def test_timeline_of_a_run_that_was_stopped(inputs):
    with pytest.raises(tc.RaceError) as caught:
        tc.run_ptx(inputs / "race.ptx", inputs / "race.json")
    check_timeline(caught.value.timeline())


def test_bad_trace():
    with pytest.raises(tc.InputError, match="expected a trace with traceEvents"):
        pictures.timeline("{}")
    with pytest.raises(tc.InputError, match="expected a trace with events, got none"):
        pictures.timeline('{"traceEvents": []}')


# The ladder.

def test_ladder_has_the_figures_of_the_page():
    page = (ROOT / "docs/Ladder.md").read_text()
    root = parse(pictures.ladder(page))
    drawn = {group.get("data-rung"): {bar.get("data-kind"): bar for bar in of_class(group, "rect", "bar")}
             for group in groups(root, "rung")}
    assert list(drawn) == [f"v{number}" for number in range(1, 9)]
    for name, bars in drawn.items():
        cycles = re.search(rf"^\| {name}: .*\| ([\d,]+|-) \|$", page, re.M)[1].replace(",", "")
        others = re.search(rf"^\| {name} \|.*\| (.*) \|$", page, re.M)[1]
        assert ("predicted" in bars) == (cycles != "-") and ("published" in bars) == others.isdigit()
        if "predicted" in bars:
            assert float(bars["predicted"].get("data-value")) * 1e12 * int(cycles) / 1.85e9 == pytest.approx(2 * 4096**3, 1e-3)
        if "published" in bars:
            assert float(bars["published"].get("data-value")) == int(others)
    heights = [(float(bar.get("height")), float(bar.get("data-value"))) for bars in drawn.values() for bar in bars.values()]
    assert len({round(height / value, 3) for height, value in heights}) == 1


def test_bad_ladder():
    with pytest.raises(tc.InputError, match="expected the two tables"):
        pictures.ladder("# nothing\n")


def test_save(tmp_path):
    picture = pictures.ladder(ROOT / "docs/Ladder.md")
    picture.save(tmp_path / "ladder.svg")
    assert (tmp_path / "ladder.svg").read_text() == picture.svg
