"""Functions as the pipelines of other projects print them, written here, with what they compute."""
import dataclasses
import typing

MODELS = []


@dataclasses.dataclass
class Model:
    """A function and its formula: from its arguments as arrays to an Uncertain."""
    group: str
    name: str
    text: str
    shapes: list  # of the arguments, as (shape, element); None for a scalar
    formula: typing.Callable  # or, for several results, to a tuple of them
    out_type: typing.Union[str, tuple]
    in_place: typing.Optional[int]
    scalars: dict
    scales: list  # how large the values of each argument are
    options: tuple = ()  # of tc-compile


def model(group):
    """Registers a function that returns a printed Function and its formula, and maybe sizes of dynamic arguments."""

    def register(build):
        function, formula, *options = build()
        options = options[0] if options else {}
        sizes = options.get("sizes", {})
        shapes = []
        for name, type_ in function.arguments.items():
            *dims, element = type_.split("x")
            shapes.append((tuple(sizes[name]) if name in sizes else tuple(map(int, dims)), element) if dims else None)
        MODELS.append(
            Model(group, build.__name__, function.text(), shapes, formula, function.out_type, function.in_place,
                  options.get("scalars", {}), [options.get("scales", {}).get(name, 1.0) for name in function.arguments]))
        return build

    return register
