"""join.py MODULE FUNCTIONS: the module with further functions in it."""
import pathlib
import sys

module, functions = (pathlib.Path(name).read_text().rstrip() for name in sys.argv[1:])
print(module.removesuffix("}") + functions + "\n}")
