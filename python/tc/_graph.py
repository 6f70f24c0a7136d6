"""Roles, rings and agents of a kernel, read off IR of level "roles", and drawn."""
from __future__ import annotations

import re
from dataclasses import dataclass, field

from ._errors import InputError
from ._svg import COLORS, Drawing, Picture

# Where a statement starts: what is printed over several lines goes on without one of these.
_STATEMENT = re.compile(r"\s*(?:[%!#][\w#:]+(?:, %[\w#:]+)* = |[a-z_]+\.[\w.]+|module\b|\}|\^)")
_KERNEL = re.compile(r"gpu\.func @(\w+)")
_ROLE = re.compile(r'(?:tmm\.warp_specialize|\}) "(\w+)" warps\((\d+)\)(.*)\{$')
_PIPELINE = re.compile(r"(%\w+) = tmm\.pipeline\b(?!_)(.*)")
_SYNC = re.compile(r"(?:(%\w+)(?::\d+)? = )?tmm\.(producer_acquire|producer_commit|consumer_wait|consumer_release) (%\w+)\[")
_OPERATION = re.compile(r"(?:%[\w:]+ = )?tmm\.(\w+) ")


@dataclass
class Role:
    """Warps with code of their own; instances that take turns are "epilogue 1", "epilogue 2". `options` is what the IR
    says besides their number: "elected", ..."""
    name: str
    warps: int
    options: str


@dataclass
class Ring:
    """A pipeline: `depth` slots with a buffer of each type in `buffers`."""
    name: str
    depth: int
    buffers: tuple[str, ...]


@dataclass(frozen=True)
class Access:
    """An operation of `role` that writes ("fill") or reads ("read") slots of `ring`. `agent` is the engine that executes
    it, or "threads"."""
    role: str
    ring: str
    kind: str
    operation: str
    agent: str


@dataclass
class Graph:
    """A kernel at level "roles"."""
    kernel: str
    roles: list[Role] = field(default_factory=list)
    rings: list[Ring] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)


def _statements(text: str):
    statement = ""
    for line in text.splitlines():
        if statement and not _STATEMENT.match(line):
            statement += " " + line.strip()
            continue
        if statement:
            yield statement
        statement = line.strip()
    yield statement


def _ring(name: str, kind: str, aliases: dict[str, str]) -> Ring:
    """The pipeline `name` of a type, which may be the name of one."""
    written = kind.rsplit(" : ", 1)[-1].strip()
    written = aliases.get(written, written)
    found = re.fullmatch(r"!tmm\.pipeline<\((.*?)\)(?:, depth = (\d+))?(?:, .*)?>", written)
    if not found:
        raise InputError(f"{name}: expected a type !tmm.pipeline<...>, got '{written}'")
    buffers = tuple(aliases.get(one, one) for one in re.findall(r"![\w.]+(?:<[^()]*>)?", found[1]))
    return Ring(name.lstrip("%"), int(found[2] or 1), buffers)


def read_graphs(ir: str) -> list[Graph]:
    """The graph of each kernel in IR of level "roles"."""
    aliases, graphs, role, slots = {}, [], "", {}
    for statement in _statements(ir):
        if alias := re.match(r"(!\w+) = (.*)", statement):
            aliases[alias[1]] = alias[2]
        elif kernel := _KERNEL.match(statement):
            graphs.append(Graph(kernel[1]))
            role, slots = "", {}
        elif not graphs:
            continue
        elif begun := _ROLE.match(statement):
            # Instances that take turns have one name in the IR.
            instance = 1 + sum(one.name.split()[0] == begun[1] for one in graphs[-1].roles)
            role, slots = f"{begun[1]} {instance}" if "turns(" in begun[3] else begun[1], {}
            graphs[-1].roles.append(Role(role, int(begun[2]), begun[3].strip()))
        elif made := _PIPELINE.match(statement):
            graphs[-1].rings.append(_ring(made[1], made[2], aliases))
        elif sync := _SYNC.match(statement):
            _synchronise(graphs[-1], role, slots, sync)
        elif operation := _OPERATION.match(statement):
            _access(graphs[-1], role, slots, operation[1], statement)
    graphs = [graph for graph in graphs if graph.rings]
    if not graphs:
        raise InputError('expected IR of level "roles", with tmm.pipeline: tc-compile --emit=roles, kernel.ir("roles")')
    return graphs


def _synchronise(graph, role, slots, sync):
    slot, operation, ring = sync[1], sync[2], sync[3].lstrip("%")
    if ring not in [one.name for one in graph.rings]:
        raise InputError(f"{operation}: expected one of the kernel's pipelines, got '{ring}'")
    if not role and not graph.roles:
        # One thread of control.
        graph.roles.append(Role("", 0, ""))
    if slot:
        slots[slot] = (ring, "fill" if operation == "producer_acquire" else "read")


def _access(graph, role, slots, operation, statement):
    engine = re.search(r"\bby\(#([\w.]+)", statement)
    for value in dict.fromkeys(re.findall(r"%\w+", statement)):
        if value in slots:
            access = Access(role, *slots[value], operation, engine[1] if engine else "threads")
            if access not in graph.accesses:
                graph.accesses.append(access)


# Drawing.

_BOX, _TALL, _GAP, _SIDE, _SLOT = 260, 92, 52, 150, 14


def _layers(graph: Graph) -> dict[tuple[str, str], int]:
    """Rows: a ring is below the roles that fill it, a role below the rings that it reads and others fill."""
    edges = set()
    for access in graph.accesses:
        role, ring = ("role", access.role), ("ring", access.ring)
        edges.add((role, ring) if access.kind == "fill" else (ring, role))
    # A role that reads what it fills itself stays above that ring.
    edges = [(tail, head) for tail, head in sorted(edges) if not (tail[0] == "ring" and (head, tail) in edges)]
    layer = {("role", role.name): 0 for role in graph.roles} | {("ring", ring.name): 0 for ring in graph.rings}
    for _ in range(len(layer)):  # Longest paths; where there is a cycle this ends, too.
        for tail, head in edges:
            layer[head] = max(layer[head], layer[tail] + 1)
    used = sorted(set(layer.values()))
    return {node: used.index(value) for node, value in layer.items()}


def _short(buffer: str) -> str:
    """A buffer's type without its wrapping: 128x64xbf16 smem<k_major, b128>."""
    found = re.fullmatch(r"!tmm\.buffer<([^,]*), #(?:\w+\.)?(.*)>", buffer)
    return f"{found[1]} {found[2]}" if found else buffer


def draw_graph(graph: Graph) -> Picture:
    layer = _layers(graph)
    # Rings that their own role reads are last in a row: the arrow back goes along their side.
    returning = {access.ring for access in graph.accesses if access.kind == "read" and
                 any(other.role == access.role and other.ring == access.ring and other.kind == "fill"
                     for other in graph.accesses)}
    order = sorted(layer, key=lambda node: node[0] == "ring" and node[1] in returning)
    rows = [[node for node in order if layer[node] == row] for row in range(max(layer.values()) + 1)]
    widest = max(len(row) for row in rows)
    width = 20 + widest * (_BOX + _SIDE)
    drawing = Drawing(width, 40 + len(rows) * (_TALL + _GAP) - _GAP + 20, f"pipelines of {graph.kernel}")
    marker = drawing.add("marker", parent=drawing.add("defs"), id="arrow", viewBox="0 0 8 8", refX=8, refY=4,
                         markerWidth=7, markerHeight=7, orient="auto")
    drawing.add("path", parent=marker, d="M0 0L8 4L0 8z", fill="#444")
    drawing.text(20, 22, graph.kernel, font_weight="bold", font_size=13)
    place = {node: (20 + (widest - len(row)) * (_BOX + _SIDE) / 2 + column * (_BOX + _SIDE), 40 + index * (_TALL + _GAP))
             for index, row in enumerate(rows) for column, node in enumerate(row)}
    for role in graph.roles:
        _draw_role(drawing, role, *place["role", role.name])
    for ring in graph.rings:
        _draw_ring(drawing, ring, *place["ring", ring.name])
    _draw_edges(drawing, graph, place)
    return drawing.picture(graph)


def _draw_role(drawing, role, x, y):
    group = drawing.add("g", class_="role", data_role=role.name, data_warps=role.warps)
    drawing.add("rect", parent=group, x=x, y=y, width=_BOX, height=_TALL, rx=8, fill=COLORS[0], stroke="#444")
    drawing.text(x + 10, y + 22, role.name or "all threads", parent=group, font_weight="bold", font_size=13)
    if role.warps:
        drawing.text(x + 10, y + 42, f"{role.warps} warp{'s' if role.warps > 1 else ''}", parent=group)
    drawing.text(x + 10, y + 60, role.options, parent=group)


def _draw_ring(drawing, ring, x, y):
    group = drawing.add("g", class_="ring", data_ring=ring.name, data_depth=ring.depth)
    # Slots that would not fit are narrower.
    step = min(_SLOT + 2, (_BOX - 20) / ring.depth)
    drawing.add("rect", parent=group, x=x, y=y, width=_BOX, height=_TALL, fill=COLORS[4], stroke="#444")
    drawing.text(x + 10, y + 18, f"{ring.name}: {ring.depth} slot{'s' if ring.depth > 1 else ''}", parent=group,
                 font_weight="bold", font_size=13)
    for index in range(ring.depth):
        drawing.add("rect", parent=group, class_="slot", x=x + 10 + index * step, y=y + 25, width=step - 2, height=12,
                    fill="white", stroke="#444")
    for index, buffer in enumerate(ring.buffers):
        drawing.text(x + 10, y + 51 + 12 * index, _short(buffer), parent=group, font_size=10)


def _draw_edges(drawing, graph, place):
    lanes = {}
    for access in graph.accesses:
        lanes.setdefault((access.role, access.ring, access.kind), []).append(access)
    for (role, ring, kind), accesses in lanes.items():
        tail, head = place["role", role], place["ring", ring]
        if kind == "read":
            tail, head = head, tail
        group = drawing.add("g", class_="access", data_role=role, data_ring=ring, data_kind=kind)
        if head[1] > tail[1]:
            start, end = (tail[0] + _BOX / 2, tail[1] + _TALL), (head[0] + _BOX / 2, head[1] - 1)
            middle = (start[1] + end[1]) / 2
            path = f"M{start[0]} {start[1]}C{start[0]} {middle} {end[0]} {middle} {end[0]} {end[1]}"
            label = ((start[0] + end[0]) / 2 + 8, middle - 6 * (len(accesses) - 1) + 4)
        else:
            start, end = (tail[0] + _BOX, tail[1] + _TALL / 2), (head[0] + _BOX + 1, head[1] + _TALL / 2)
            side = max(start[0], end[0]) + 50
            path = f"M{start[0]} {start[1]}C{side} {start[1]} {side} {end[1]} {end[0]} {end[1]}"
            label = (side - 6, (start[1] + end[1]) / 2 - 6 * (len(accesses) - 1) + 4)
        drawing.add("path", parent=group, d=path, fill="none", stroke="#444", marker_end="url(#arrow)")
        for index, access in enumerate(accesses):
            drawing.text(label[0], label[1] + 12 * index, f"{access.operation}: {access.agent}", parent=group, font_size=10,
                         paint_order="stroke", stroke="white", stroke_width=3)
