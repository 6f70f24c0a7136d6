"""The passes that the plugin adds to mlir-opt are those that tc-opt has and mlir-opt has not.

    passes.py STOCK PLUGIN TC      what --help prints for each
"""
import pathlib
import re
import sys


def names(path):
    return set(re.findall(r"^ {6}(--[\w-]+)", pathlib.Path(path).read_text(), re.M))


def main():
    stock, plugin, tc = (names(path) for path in sys.argv[1:])
    # A build with the back ends of the tests has passes of theirs.
    added, expected = plugin - stock, {name for name in tc - stock if not name.startswith("--test-")}
    if added != expected:
        sys.exit(f"expected the passes of tc-opt, got {sorted(added - expected)} more and {sorted(expected - added)} less")
    print(f"the plugin adds {len(added)} passes and pipelines, those of tc-opt")
    print("\n".join(sorted(added)))


if __name__ == "__main__":
    main()
