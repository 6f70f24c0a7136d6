"""Writes the linalg module of a problem: the compiler's input and the oracle's."""


def _maps(problem):
    a = "(k, m)" if problem.transpose_a else "(m, k)"
    b = "(n, k)" if problem.transpose_b else "(k, n)"
    return [f"affine_map<(m, n, k) -> {results}>" for results in (a, b, "(m, n)")]


def type_of(problem, operand, container):
    rows, columns = ("?", "?") if problem.dynamic else problem.stored_shape(operand)
    return f"{container}<{rows}x{columns}x{problem.element_type(operand)}>"


def _needs_generic(problem):
    # Upstream's named operation has no cast between the two 16-bit types.
    return problem.form == "generic" or {problem.in_type, problem.out_type} == {"bf16", "f16"}


def _contraction(problem, types, target, result):
    maps = ", ".join(_maps(problem))
    operands = f"ins(%A, %B : {types['A']}, {types['B']}) outs({target} : {types['D']})"
    arrow = f" -> {types['D']}" if result else ""
    prefix = f"{result} = " if result else ""
    if not _needs_generic(problem):
        is_plain = not (problem.transpose_a or problem.transpose_b)
        attribute = "" if is_plain else f" indexing_maps = [{maps}]"
        return [f"  {prefix}linalg.matmul{attribute} {operands}{arrow}"]
    source, destination = problem.in_type, problem.out_type
    lines = [
        f"  {prefix}linalg.generic {{indexing_maps = [{maps}],",
        '      iterator_types = ["parallel", "parallel", "reduction"]}',
        f"      {operands} {{",
        f"  ^bb0(%a: {source}, %b: {source}, %d: {destination}):",
        f"    %wide_a = arith.extf %a : {source} to f32",
        f"    %wide_b = arith.extf %b : {source} to f32",
        "    %product = arith.mulf %wide_a, %wide_b : f32",
    ]
    if destination == "f32":
        lines += ["    %sum = arith.addf %d, %product : f32", "    linalg.yield %sum : f32"]
    else:
        lines += [
            f"    %wide_d = arith.extf %d : {destination} to f32",
            "    %sum = arith.addf %wide_d, %product : f32",
            f"    %narrow = arith.truncf %sum : f32 to {destination}",
            f"    linalg.yield %narrow : {destination}",
        ]
    return lines + [f"  }}{arrow}"]


def function(problem, name="matmul"):
    """The function that multiplies, as text. Tensors return D, memrefs write it."""
    container = "tensor" if problem.form == "tensor" else "memref"
    types = {operand: type_of(problem, operand, container) for operand in "ABD"}
    arguments = ", ".join(f"%{operand}: {types[operand]}" for operand in "ABD")
    is_tensor = container == "tensor"
    arrow = f" -> {types['D']}" if is_tensor else ""
    lines = [f"func.func @{name}({arguments}){arrow} {{"]
    target = "%D"
    if not problem.accumulate:
        lines.append(f"  %zero = arith.constant 0.0 : {problem.out_type}")
        fill = f"linalg.fill ins(%zero : {problem.out_type}) outs(%D : {types['D']})"
        if is_tensor:
            target = "%zeros"
            fill = f"%zeros = {fill} -> {types['D']}"
        lines.append("  " + fill)
    lines += _contraction(problem, types, target, "%result" if is_tensor else "")
    lines.append(f"  return %result : {types['D']}" if is_tensor else "  return")
    return "\n".join(lines + ["}"]) + "\n"
