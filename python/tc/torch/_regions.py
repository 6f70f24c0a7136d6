"""Which parts of a graph of ATen operations tc computes: each product with the elementwise operations around its
result.

The rule: a product is taken where its types are those of a matrix unit (f16, bf16, f32 that may be rounded to tf32),
rows of its operands are a known distance apart, or whole 16 bytes in every run, and it has at least LEAST operations,
below which the launch is what takes time. Its region is the largest set of elementwise operations after it that has
one result: what others need of the middle of it would have to be stored, and is not taken. The product does not hide
what an epilogue does, so it is limited: for each element of the result it reads at most MOST_READ bytes beside the
product's operands (on an H200 four matrices took three times the product's time), and computes OPERATIONS, or one for
K_OF_ONE elements of K where that is more (the derivative of GELU by tanh, K = 1024: 4 % slower than apart). Everything
else stays where it was.
"""
from __future__ import annotations

import logging
import math
import re
from collections import Counter, namedtuple

import torch

from . import _plans
from ._nodes import is_multiple, is_one, is_same, is_static, product_of, value_of
from ._pointwise import CONVERSIONS, FLOATS, TABLE, Lines, Refused, lines_of
from ._single import ATTENTION, take_attention, take_convolution, take_scaled

log = logging.getLogger("tc.torch")
aten = torch.ops.aten
PRODUCTS = (aten.mm.default, aten.addmm.default, aten.bmm.default, aten.baddbmm.default)
_VIEWS = (aten.view.default, aten.reshape.default, aten._unsafe_view.default, aten.unsqueeze.default, aten.squeeze.dim,
          aten.squeeze.dims)
_FP8 = (torch.float8_e4m3fn, torch.float8_e5m2)
LEAST = 1 << 16
MOST_READ = 4
OPERATIONS, K_OF_ONE = 16, 64
DEPTH = 64  # operations behind each other, to which an operand is computed again
UNKNOWN_SIZE = 8192  # what a size that only the run knows is taken for, as Inductor does

# Found in a graph: FLOPs of what tc computes and of every product, convolution and attention; reasons for the rest.
Summary = namedtuple("Summary", "taken total refused fused")


def flops_of(node) -> int:
    """Operations of a product, a convolution or attention, of sizes that the graph was traced with; else 0."""

    def hint(size):
        if is_static(size):
            return size
        known = size.node.hint if size.node.has_hint() else None
        return UNKNOWN_SIZE if known is None else int(known)

    target, packet = node.target, getattr(node.target, "overloadpacket", None)
    if target in PRODUCTS:
        a, b = node.args[1:3] if len(node.args) > 2 else node.args[:2]
        return 2 * math.prod(map(hint, value_of(a).shape)) * hint(value_of(b).shape[-1])
    if target is aten._scaled_mm.default:
        a = value_of(node.args[0])
        return 2 * math.prod(map(hint, value_of(node).shape)) * hint(a.shape[-1]) * (1 if a.dtype in _FP8 else 2)
    if target is torch.ops.tc.matmul.default:
        return 2 * math.prod(map(hint, value_of(node).shape)) * hint(value_of(node.args[0]).shape[-1])
    if packet is not None and packet is getattr(aten, "_grouped_mm", None):
        a, b = (value_of(one) for one in node.args[:2])
        groups = hint(value_of(node).shape[0]) if a.dim() == b.dim() == 2 else 1  # which are parts of K then
        return 2 * math.prod(map(hint, value_of(node).shape)) * hint(a.shape[-1]) // max(groups, 1)
    if packet is aten.convolution:
        weight, out = value_of(node.args[1]), value_of(node)
        return 2 * math.prod(map(hint, out.shape)) * math.prod(map(hint, weight.shape[1:]))
    if target is torch.ops.tc.attention.default or target in ATTENTION:
        q, k, v = (value_of(one) for one in node.args[:3])
        batch = math.prod(map(hint, q.shape[:-1]))
        return 2 * batch * hint(k.shape[-2]) * (hint(q.shape[-1]) + hint(v.shape[-1]))
    return 0


class Region:
    """A product and what is computed from it."""

    def __init__(self, node):
        self.product, self.lines, self.values, self.inside = node, Lines(), {node: "%acc"}, {node}
        self.extras, self.along = [], ""
        self.reasons = []
        self.a, self.b = node.args[1:3] if len(node.args) > 2 else node.args[:2]
        self.shape = value_of(node).shape
        if len(node.args) > 2:
            self._add_bias(node)

    def _add_bias(self, node):
        """addmm: beta * input + alpha * product."""
        beta, alpha = node.kwargs.get("beta", 1), node.kwargs.get("alpha", 1)
        lines, value = self.lines, "%acc"
        if alpha != 1:
            value = lines.mul(value, alpha)
        if beta != 0:
            bias = self._operand(node.args[0], self.shape)
            value = lines.add(value, bias if beta == 1 else lines.mul(bias, beta))
        self.values[node] = value

    def _rows(self, shape) -> bool:
        """Whether `shape` is that of D but for how its rows are counted."""
        return (len(shape) >= len(self.shape) - 1 and len(shape) > 0 and is_same(shape[-1], self.shape[-1])
                and is_same(product_of(shape), product_of(self.shape)))

    def _operand(self, node, shape) -> str:
        """The value of a tensor from elsewhere at an element of something of `shape`."""
        value = value_of(node)
        if not isinstance(value, torch.Tensor):
            raise Refused("a scalar that only the run knows")
        if value.dtype not in FLOATS:
            raise Refused(f"an operand of {str(value.dtype).rpartition('.')[2]}")
        sizes = [1] * (len(shape) - value.dim()) + list(value.shape)
        if is_same(product_of(sizes), product_of(shape)) and not is_one(shape[-1]):
            place, wanted = "e", list(self.shape)
            if not _is_readable(value, wanted):
                raise Refused(f"an operand of strides {tuple(value.stride())}, which would have to be copied")
        elif all(map(is_one, sizes[:-1])) and is_same(sizes[-1], shape[-1]):
            place, wanted = "n", [self.shape[-1]]
        elif is_one(sizes[-1]) and is_same(product_of(sizes[:-1]), product_of(shape[:-1])):
            place, wanted = "m", list(self.shape[:-1])
        else:
            raise Refused(f"an operand of shape {tuple(value.shape)} beside {tuple(shape)}")
        key = (node, place)
        if key in [one[:2] for one in self.extras]:
            return f"%x{[one[:2] for one in self.extras].index(key)}"
        read = sum(value_of(one).element_size() for one, where, _ in self.extras if where == "e")
        if place == "e" and read + value.element_size() > MOST_READ:
            raise Refused(f"{read + value.element_size()} bytes to read for each element, expected at most {MOST_READ}")
        self.extras.append((node, place, wanted))
        self.along += place
        return f"%x{len(self.extras) - 1}"

    def _external(self, node, shape, depth=0) -> str:
        """The value of something that does not depend on the product: computed again from what it is made of, where
        that is elementwise, or read. What only elementwise operations need is in no memory, and is not put there."""
        if depth > DEPTH or not _is_elementwise(node) or not self._rows(value_of(node).shape):
            return self._operand(node, shape)
        if node in self.values:
            return self.values[node]
        before = self._state()
        try:
            inner = value_of(node).shape
            values = {one: self._external(one, inner, depth + 1) for one in node.all_input_nodes}
            if node.target in _VIEWS:
                self.values[node] = values[node.args[0]]
            else:
                self.values[node] = lines_of(node, values, self.lines)
            return self.values[node]
        except Refused:
            self._restore(before)
            if all(_is_elementwise(user) for user in node.users):
                raise
            return self._operand(node, shape)

    def _check_operations(self):
        k = value_of(self.a).shape[-1]
        most = max(OPERATIONS, k // K_OF_ONE) if is_static(k) else OPERATIONS
        operations = sum("arith.constant" not in line for line in self.lines.lines)
        if operations > most:
            raise Refused(f"{operations} operations in the epilogue, expected at most {most}")

    def _state(self):
        return len(self.lines.lines), set(self.lines.bools), list(self.extras), self.along, dict(self.values)

    def _restore(self, state):
        del self.lines.lines[state[0]:]
        self.lines.bools, self.extras, self.along, self.values = state[1:]

    def absorb(self, node, behind) -> bool:
        """Takes `node` where an epilogue can compute it; `behind`: nodes that depend on the product."""
        inputs = list(node.all_input_nodes)
        if not any(one in self.inside for one in inputs):
            return False
        before = self._state()
        try:
            if not isinstance(node.target, torch._ops.OpOverload) or not isinstance(node.meta.get("val"), torch.Tensor):
                raise Refused(f"{getattr(node.target, '__name__', node.target)}")
            shape = value_of(node).shape
            if not self._rows(shape):
                raise Refused(f"{node.target}: the shape {tuple(shape)}, expected rows of {self.shape[-1]}")
            if node.target in _VIEWS:
                self.values[node] = self.values[inputs[0]]
            else:
                values = {}
                for one in inputs:
                    if one in self.inside:
                        if not self._rows(value_of(one).shape):
                            raise Refused("a broadcast of the result")
                        values[one] = self.values[one]
                    elif one in behind:
                        raise Refused(f"{node.target}: an operand that needs the product, too")
                    else:
                        values[one] = self._external(one, shape)
                self.values[node] = lines_of(node, values, self.lines)
                self._check_operations()
        except Refused as reason:
            self._restore(before)
            self.reasons.append(str(reason))
            return False
        self.inside.add(node)
        return True


def _is_readable(value, shape) -> bool:
    """Whether a tensor has another shape, with contiguous rows, without a copy."""
    try:
        return is_one(value.view(shape).stride(-1))
    except (RuntimeError, ValueError):
        return False


def _is_elementwise(node) -> bool:
    """Whether Inductor computes a node together with others that are so."""
    return (node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload)
            and isinstance(node.meta.get("val"), torch.Tensor)
            and (node.target in _VIEWS or node.target.overloadpacket in TABLE or node.target in CONVERSIONS))


def refusal_of(node) -> str:
    """Why tc does not take a product; "" where it does."""
    a, b = (value_of(one) for one in (node.args[1:3] if len(node.args) > 2 else node.args[:2]))
    kinds = {a.dtype, b.dtype}
    if len(kinds) > 1 or not kinds <= set(FLOATS):
        return f"types {', '.join(sorted(str(kind).rpartition('.')[2] for kind in kinds))}"
    if a.dtype == torch.float32 and not _plans.takes_f32():
        return 'f32 with full precision, see torch.set_float32_matmul_precision("high")'
    if value_of(node).dtype not in FLOATS:
        return "the type of the result"
    size = a.element_size()
    for name, value in (("A", a), ("B", b)):
        strides = value.stride()
        ones = [dim for dim in (-1, -2) if is_one(strides[dim])]
        if not ones:
            return f"{name}: no stride of 1"
        other = strides[-2] if ones[0] == -1 else strides[-1]
        if not is_static(other) and not is_multiple(other * size):
            return f"{name}: rows whose distance only the run knows"
        if value.dim() == 3 and not is_static(strides[0]) and not is_multiple(strides[0] * size):
            return f"{name}: a batch whose distance only the run knows"
        if any(is_static(one) and one == 0 for one in strides[:-2]):
            return f"{name}: a batch that is one matrix"
    if flops_of(node) < LEAST:
        return f"fewer than {LEAST} operations"
    return ""


def _result_of(region, order):
    """The last node of a region that nothing but itself needs the rest of, and the nodes that it is made of."""
    for result in sorted(region.inside, key=order.get, reverse=True):
        if result.target in _VIEWS or value_of(result).dtype not in FLOATS:
            continue
        made_of, todo = set(), [result]
        while todo:
            node = todo.pop()
            if node not in made_of:
                made_of.add(node)
                todo += [one for one in node.all_input_nodes if one in region.inside]
        if all(user in made_of for node in made_of if node is not result for user in node.users):
            return result, made_of
    raise AssertionError("a product is a result of its region")


def _behind(node):
    found, todo = set(), [node]
    while todo:
        for user in todo.pop().users:
            if user not in found:
                found.add(user)
                todo.append(user)
    return found


def _letters(shape) -> str:
    """The dimensions of D that only the run knows."""
    return "".join(letter for letter, size in zip("bmn"[3 - len(shape):], shape) if not is_static(size))


def _replace(graph, region, result, made_of, order):
    """Puts one operation where the region was."""
    used, lines = [], []
    texts = "\n".join(region.lines.lines)
    for number, (node, place, wanted) in enumerate(region.extras):
        if f"%x{number}" in _names(texts):
            used.append((number, node, place, wanted))
    value = region.values[result]
    needed = {value}
    for line in reversed(region.lines.lines):
        name, text = line.split(" = ", 1)
        if name in needed:
            needed |= _names(text)
            lines.append(line)
    used = [one for one in used if f"%x{one[0]}" in needed]
    renamed = {f"%x{number}": f"%x{place}" for place, (number, *_) in enumerate(used)}
    # One line: Inductor puts the arguments of operations into comments of what it writes.
    body = "" if value == "%acc" else "; ".join([_rename(line, renamed)
                                                 for line in reversed(lines)] + [f"yield {_rename(value, renamed)}"])
    with graph.inserting_before(result):
        extras = []
        for _, node, _, wanted in used:
            if list(value_of(node).shape) != wanted:
                made = graph.call_function(aten.reshape.default, (node, _sizes(graph, wanted)))
                made.meta["val"] = value_of(node).reshape(wanted)
                node = made
            extras.append(node)
        a_shape = value_of(region.a).shape
        dynamic = _letters(region.shape) + ("" if is_static(a_shape[-1]) else "k")
        call = graph.call_function(
            torch.ops.tc.product.default,
            (region.a, region.b, extras, "".join(one[2] for one in used), body, value_of(result).dtype, dynamic))
        call.meta = {**result.meta, "val": value_of(result).new_empty(region.shape)}
        made = call
        if list(value_of(result).shape) != list(region.shape):
            made = graph.call_function(aten.reshape.default, (call, _sizes(graph, value_of(result).shape)))
            made.meta = {**result.meta, "val": call.meta["val"].reshape(value_of(result).shape)}
    result.replace_all_uses_with(made)
    for node in sorted(made_of, key=order.get, reverse=True):
        graph.erase_node(node)


def _names(text) -> set[str]:
    return set(re.findall(r"%[a-z]\w*", text))


def _rename(text, names) -> str:
    return re.sub(r"%x\d+", lambda found: names.get(found[0], found[0]), text)


def _sizes(graph, shape) -> list:
    """A shape as an argument of reshape: numbers, -1, and nodes that have a size."""
    open_sizes = [size for size in shape if not is_static(size)]
    if len(open_sizes) == 1:
        return [size if is_static(size) else -1 for size in shape]
    return [size if is_static(size) else _node_of(graph, size) for size in shape]


def _node_of(graph, size):
    for node in graph.nodes:
        value = node.meta.get("val")
        if isinstance(value, torch.SymInt) and str(value) == str(size):
            return node
    for node in graph.nodes:
        value = node.meta.get("val")
        if node.op == "placeholder" and isinstance(value, torch.Tensor):
            for dim, one in enumerate(value.shape):
                if str(one) == str(size):
                    made = graph.call_function(aten.sym_size.int, (node, dim))
                    made.meta["val"] = one
                    return made
    raise Refused(f"the size {size}, which no argument has")


def _take(graph, product):
    """Replaces a product with what is behind it: the number of operations there, and why there are no more."""
    region = Region(product)
    order = {node: place for place, node in enumerate(graph.nodes)}
    behind = _behind(product)
    for node in sorted(behind, key=order.get):
        if node.op == "call_function":
            region.absorb(node, behind)
    result, made_of = _result_of(region, order)
    _replace(graph, region, result, made_of, order)
    return len(made_of) - 1, region.reasons


def rewrite(graph, chip: str, convolutions: bool = False) -> Summary:
    """Replaces what tc takes by `tc.product` and says what it left."""
    taken = total = fused = 0
    refused = Counter()
    for node in list(graph.nodes):
        flops = flops_of(node) if node.op == "call_function" else 0
        total += flops
        if node.target in (torch.ops.tc.attention.default, torch.ops.tc.matmul.default):
            taken += flops
            continue
        take = (take_attention if node.target in ATTENTION else
                take_scaled if node.target is aten._scaled_mm.default else
                take_convolution if convolutions and node.target is aten.convolution.default else None)
        if take:
            name = node.name
            reason = take(graph, node, chip)
            log.info("%s %s%s", "left" if reason else "took", name, f": {reason}" if reason else "")
            taken += 0 if reason else flops
            if reason:
                refused[reason] += flops
            continue
        if node.target not in PRODUCTS:
            if flops:
                asked = ", see the option convolutions" if node.target is aten.convolution.default else ""
                refused[f"{node.target}: not a product{asked}"] += flops
            continue
        if reason := refusal_of(node):
            log.info("left %s: %s", node.format_node(), reason)
            refused[reason] += flops
            continue
        name = node.name
        try:
            behind_it, reasons = _take(graph, node)
        except Refused as reason:
            log.info("left %s: %s", node.format_node(), reason)
            refused[str(reason)] += flops
            continue
        log.info("took %s with %d operations after it; the next: %s", name, behind_it, "; ".join(reasons[:3])
                 or "has other users")
        fused += behind_it
        taken += flops
    graph.eliminate_dead_code()
    return Summary(taken, total, refused, fused)
