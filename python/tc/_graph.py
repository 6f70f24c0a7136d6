"""Roles, rings and agents of a kernel, read off IR of level "roles", and drawn."""
from __future__ import annotations

import re
from dataclasses import dataclass, field

from ._errors import InputError
from ._svg import COLORS, DARK_TEXT, Drawing, Picture, legend_width, text_width

# Where a statement starts: what is printed over several lines goes on without one of these.
_STATEMENT = re.compile(r"\s*(?:[%!#][\w#:]+(?:, %[\w#:]+)* = |[a-z_]+\.[\w.]+|module\b|\}|\^)")
_KERNEL = re.compile(r"gpu\.func @(\w+)")
_ROLE = re.compile(r'(?:tmm\.warp_specialize|\}) "(\w+)" warps\((\d+)\)(.*)\{$')
_PIPELINE = re.compile(r"(%\w+) = tmm\.pipeline\b(?!_)(.*)")
_SYNC = re.compile(r"(?:(%\w+)(?::\d+)? = )?tmm\.(producer_acquire|producer_commit|consumer_wait|consumer_release) (%\w+)\[")
_OPERATION = re.compile(r"(?:%[\w:]+ = )?tmm\.(\w+) ")
_VALUE = re.compile(r"(%\w+)(?:#(\d+))?")
# The operands of a product that are in lists of their own.
_MORE_OPERANDS = re.compile(r" (scales|metadata)\(([^()]*)\)")


@dataclass
class Role:
    """Warps with code of their own; instances that take turns are "epilogue 1", "epilogue 2". `options` is what the IR
    says besides their number: "elected", ..."""
    name: str
    warps: int
    options: str


@dataclass
class Ring:
    """A pipeline: `depth` slots with a buffer of each type in `buffers`. `contents` says what each holds: "A", "B",
    "scales of A", "accumulator of D"; "" where the IR does not say it."""
    name: str
    depth: int
    buffers: tuple[str, ...]
    contents: list[str]

    @property
    def title(self) -> str:
        """What a slot holds, or the ring's name where nothing is known of it."""
        known = list(dict.fromkeys(one for one in self.contents if one))
        if len(known) > 1 and known == [f"{known[0].removesuffix(' A')} {matrix}" for matrix in "AB"]:
            return f"{known[0]} and B"
        return ", ".join(known[:-2] + [" and ".join(known[-2:])]) if known else self.name


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

    def ring(self, name: str) -> Ring:
        return next(ring for ring in self.rings if ring.name == name)


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
    return Ring(name.lstrip("%"), int(found[2] or 1), buffers, [""] * len(buffers))


def read_graphs(ir: str) -> list[Graph]:
    """The graph of each kernel in IR of level "roles"."""
    aliases, graphs, role, slots = {}, [], "", {}
    every_copy = []
    for statement in _statements(ir):
        if alias := re.match(r"(!\w+) = (.*)", statement):
            aliases[alias[1]] = alias[2]
        elif kernel := _KERNEL.match(statement):
            graphs.append(Graph(kernel[1]))
            role, slots, copies = "", {}, []
            every_copy.append(copies)
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
            _name_contents(graphs[-1], slots, copies, operation[1], statement)
    for graph, of_graph in zip(graphs, every_copy):
        _name_copied(graph, of_graph)
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


def _name_contents(graph, slots, copies, operation, statement):
    """What the buffers of a slot hold, by what an operation does with them: a product says it of its operands. Memory
    has the name of an argument, which is less sure."""
    operands = [slots[value] + (int(index or 0),) if value in slots else value
                for value, index in _VALUE.findall(statement.split(" = tmm.")[-1])]

    def name(place, what, replaces=True):
        if not isinstance(place, str):
            contents = graph.ring(place[0]).contents
            if replaces or not contents[place[-1]]:
                contents[place[-1]] = what

    if operation == "mma":
        for place, what in zip(operands, ("A", "B", "accumulator of D")):
            name(place, what)
        for more in _MORE_OPERANDS.finditer(statement):
            first = len(_VALUE.findall(statement[:more.start()]))
            for place, matrix in zip(operands[first:first + len(_VALUE.findall(more[2]))], "AB"):
                name(place, f"{more[1]} of {matrix}")
    elif operation == "copy":
        copies.append(operands[:2])
    elif operation in ("load", "unload"):
        memory = next(one for one in operands if isinstance(one, str))
        if not re.match(r"%arg\d", memory):
            name(next(one for one in operands if not isinstance(one, str)), memory[1:].upper(), replaces=False)


def _name_copied(graph, copies):
    """The source of a copy holds what its destination holds."""
    for source, target in copies:
        graph.ring(source[0]).contents[source[-1]] = graph.ring(target[0]).contents[target[-1]]


# Drawing.

# Lines of text, the space between boxes, and between the row of the roles and that of the rings.
_LINE, _GAP, _ROWS, _SLOT = 15, 36, 64, 14
_COLORS = {"fill": "#cf5a1d", "read": "#2f7fc1"}
_WORDS = {"fill": "writes", "read": "reads"}


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


@dataclass
class _Box:
    """The box of a role or a ring, and the x of each edge at its side, in the order in which they are taken."""
    x: float
    y: float
    width: float
    height: float
    ports: list[float] = field(default_factory=list)

    @property
    def center(self):
        return self.x + self.width / 2


def draw_graph(graph: Graph) -> Picture:
    layer = _layers(graph)
    titles = {ring.name: ring.title for ring in graph.rings}
    lines = {role.name: [(access, f"{_WORDS[access.kind]} {titles[access.ring]}: {access.operation}, {access.agent}")
                         for access in graph.accesses if access.role == role.name] for role in graph.roles}
    roles, x = {}, 20
    for role in sorted(graph.roles, key=lambda role: layer["role", role.name]):
        words = [text_width(text, 10) for _, text in lines[role.name]] + [text_width(_role_title(role), 13)]
        roles[role.name] = _Box(x, 58, 20 + max(words), 0)
        x += roles[role.name].width + _GAP
    tall = 32 + _LINE * max(len(one) for one in lines.values())
    for box in roles.values():
        box.height = tall
    rings = _place_rings(graph, roles, 58 + tall + _ROWS)
    every = [*roles.values(), *rings.values()]
    legend = [(COLORS[0], "role: warps with code of their own"), (COLORS[4], "ring of slots"),
              (_COLORS["fill"], "writes slots"), (_COLORS["read"], "reads slots")]
    drawing = Drawing(max(legend_width(legend), *(box.x + box.width for box in every)) + 20, max(box.y + box.height for box in every) + 16,
                      f"pipelines of {graph.kernel}")
    defined = drawing.add("defs")
    for kind, color in _COLORS.items():
        marker = drawing.add("marker", parent=defined, id=f"tc-{kind}", viewBox="0 0 8 8", refX=8, refY=4, markerWidth=7,
                             markerHeight=7, orient="auto")
        drawing.add("path", parent=marker, d="M0 0L8 4L0 8z", fill=color)
    drawing.text(20, 20, graph.kernel, font_weight="bold", font_size=13)
    drawing.legend(20, 42, legend)
    for role in graph.roles:
        _draw_role(drawing, role, roles[role.name])
    for ring in graph.rings:
        _draw_ring(drawing, ring, rings[ring.name])
    _draw_edges(drawing, graph, roles, rings, lines)
    return drawing.picture(graph)


def _role_title(role):
    return f"{role.name or 'all threads'}" + (f": {role.warps} warp{'s' if role.warps > 1 else ''}" if role.warps else "")


def _ring_title(ring):
    return f"{ring.title}: {ring.depth} slot{'s' if ring.depth > 1 else ''}"


def _place_rings(graph, roles, y):
    """Each ring below the middle of the roles that use it, as far as the others leave room."""
    using = {ring.name: [roles[access.role].center for access in graph.accesses if access.ring == ring.name]
             for ring in graph.rings}
    middle = {name: sum(centers) / len(centers) if centers else 0 for name, centers in using.items()}
    # A ring that only one role uses comes after one between that role and another.
    order = sorted(graph.rings, key=lambda ring: (middle[ring.name], len(set(using[ring.name])) == 1))
    rings, x = {}, 20
    for ring in order:
        words = [text_width(_ring_title(ring), 12)] + [text_width(_short(one), 10) for one in ring.buffers]
        width = 20 + max(words)
        box = _Box(max(x, middle[ring.name] - width / 2), y, width, 48 + 13 * len(ring.buffers))
        rings[ring.name] = box
        x = box.x + width + _GAP
    return rings


def _draw_role(drawing, role, box):
    group = drawing.add("g", class_="role", data_role=role.name, data_warps=role.warps)
    drawing.add("rect", parent=group, x=box.x, y=box.y, width=box.width, height=box.height, rx=8, fill=COLORS[0], tip=role.options)
    drawing.text(box.x + 10, box.y + 20, _role_title(role), parent=group, font_weight="bold", font_size=13, fill=DARK_TEXT)


def _draw_ring(drawing, ring, box):
    group = drawing.add("g", class_="ring", data_ring=ring.name, data_depth=ring.depth)
    drawing.add("rect", parent=group, x=box.x, y=box.y, width=box.width, height=box.height, fill=COLORS[4], tip=f"%{ring.name}")
    drawing.text(box.x + 10, box.y + 18, _ring_title(ring), parent=group, font_weight="bold", font_size=12, fill=DARK_TEXT)
    # Slots that would not fit are narrower.
    step = min(_SLOT + 2, (box.width - 20) / ring.depth)
    for index in range(ring.depth):
        drawing.add("rect", parent=group, class_="slot", x=box.x + 10 + index * step, y=box.y + 25, width=step - 2, height=10,
                    fill="none", stroke=DARK_TEXT)
    for index, buffer in enumerate(ring.buffers):
        drawing.text(box.x + 10, box.y + 49 + 13 * index, _short(buffer), parent=group, font_size=10, fill=DARK_TEXT)


def _draw_edges(drawing, graph, roles, rings, lines):
    edges = list(dict.fromkeys((access.role, access.ring, access.kind) for access in graph.accesses))
    ends = {}
    for names, others, place in ((roles, rings, 0), (rings, roles, 1)):
        for name, box in names.items():
            mine = sorted((edge for edge in edges if edge[place] == name),
                          key=lambda edge: (others[edge[1 - place]].center, edge[2] == "read"))
            for index, edge in enumerate(mine):
                ends[edge, place] = box.x + box.width * (index + 1) / (len(mine) + 1)
    for edge in edges:
        role, ring, kind = edge
        group = drawing.add("g", class_="access", data_role=role, data_ring=ring, data_kind=kind)
        points = [(ends[edge, 0], roles[role].y + roles[role].height), (ends[edge, 1], rings[ring].y)]
        if kind == "read":
            points.reverse()
        (x0, y0), (x1, y1) = points
        middle = (y0 + y1) / 2
        drawing.add("path", parent=group, d=f"M{x0:.1f} {y0:.1f}C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}",
                    fill="none", stroke=_COLORS[kind], stroke_width=1.5, marker_end=f"url(#tc-{kind})",
                    **({"stroke_dasharray": "5 3"} if kind == "read" else {}))
        for index, (access, text) in enumerate(lines[role]):
            if (access.ring, access.kind) == (ring, kind):
                drawing.text(roles[role].x + 10, roles[role].y + 38 + _LINE * index, text, parent=group, font_size=10,
                             fill=DARK_TEXT)
