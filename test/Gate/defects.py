#!/usr/bin/env python3
"""Puts fixed defects back and records which tier of the gate notices.

    defects.py --tree SCRATCH [--record FILE] [COMMIT...]

SCRATCH is a clone that may be changed, configured with the preset `gate`. For each commit of the list (or those given)
the change of lib, include, tools and python is reverted, without that of the tests; where the code has moved on too far,
patches/COMMIT.patch makes the same mistake in the code of today. The tests run that the commit changed, as the gate runs
them, each after what it needs is built, and where these notice nothing, the gate's tiers unit, lit and kernels whole.
The first stage that fails is recorded, with its tier and the commit `at` which that was. What cannot be put back, or does not build, is recorded as that.
defects.json is the last record; what only scripts/nightly notices was put back by hand in a build under the sanitizers.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATCHES = pathlib.Path(__file__).resolve().parent / "patches"
SOURCES = ("lib/", "include/", "tools/", "python/")
# Commits that mended a defect with a test, newest first.
COMMITS = """c294b0ae 6fd0fe53 6abdb3c1 62cb1374 34dbd055 769997e5 d273349d de9bfb96 d6890d51 7a7bcbb4 bd7dd144 ae4e6824
ad363652 71af4825 cb720367 07e23066 b2ea3de2 fb5a2cd7 d4a62bdb 100e3985 7f593da7 306d7601 60a8bc7d 2dcccf2e e0645101
760383fd 4840a29e 69c76064 e0eccaf8 8a45cf1b 42b7ee1e 502c16a2 085a1fda e091921f 1d997e60 006edbeb 5e5575c1 9589d636
a86d4e58 fadf71b9 ddb5764f 2ff59578 3b525871 f18c0d0f 79f47c28 f20cdfec 30ac53e2 da3135bb 750a9b44 2a4e22bb 14b21849
73a0f31e 13d7f1b4 51ad56a1 d72753fc 317458e1 5b99eaad 7c31a1a7 a97fd8a7 ac87eaba 72609835""".split()


class Tree:
    def __init__(self, folder):
        self.folder, self.build = folder, folder / "build-gate"

    def run(self, *command, **options):
        return subprocess.run(list(map(str, command)), cwd=self.folder, capture_output=True, text=True, **options)

    def git(self, *arguments, **options):
        return self.run("git", *arguments, **options)

    def restore(self):
        self.git("revert", "--quit")
        self.git("reset", "-q", "--hard")

    def put_back(self, commit):
        patch = PATCHES / f"{commit}.patch"
        if not patch.exists():
            return self.revert(commit)
        self.restore()
        return self.git("apply", "--index", "--3way", patch).returncode == 0

    def revert(self, commit):
        """Whether the sources could be put back, through renames; tests and documents stay as they are. Where later
        commits changed the same lines, those of the defect win; what comes of that has to build."""
        for option in ("no-renormalize", "theirs"):
            self.restore()
            self.git("revert", "--no-commit", "--strategy-option", option, commit)
            unmerged = self.git("diff", "--name-only", "--diff-filter=U").stdout.split()
            if not any(path.startswith(SOURCES) for path in unmerged):
                break
        else:
            return False
        sources = self.git("diff", "--binary", "HEAD", "--", *SOURCES).stdout
        self.restore()
        return bool(sources) and self.git("apply", "--index", input=sources).returncode == 0

    def make(self, *targets):
        return self.run("ninja", "-C", self.build, *targets).returncode == 0

    def stages(self, commit):
        """(tier, name, target, command) of the tests that a commit changed, the quick ones first."""
        paths = self.git("diff-tree", "--no-commit-id", "--name-only", "-r", commit, "--", "test", "unittests").stdout.split()
        units = {path.split("/")[1] for path in paths if path.startswith("unittests/")}
        for unit in sorted(units):
            for target in re.findall(r"add_tc_unittest\((\w+)", (self.folder / "unittests" / unit / "CMakeLists.txt").read_text()):
                yield "unit", target, target, ["ninja", "-C", self.build, f"check-{target}"]
        lit = [path for path in paths if re.search(r"\.(mlir|test)$", path) and "Inputs" not in path and (self.folder / path).exists()]
        inputs = {re.sub(r"/Inputs/.*", "", path) for path in paths if "/Inputs/" in path}
        lit += sorted(inputs)
        if lit:
            yield "lit", ", ".join(lit), "tc-lit-tools", ["/usr/bin/python3", "/usr/lib/llvm-22/bin/lit", "-sv", "-j2", "--param", "corpora=1",
                                                          *[self.build / path for path in lit]]

    def whole(self):
        for tier in ("unit", "lit", "kernels"):
            done = self.run("scripts/test", tier)
            failed = re.search(r"^FAILED: (.*?) \(exit", done.stdout, re.M)
            if done.returncode:
                return tier, failed[1] if failed else done.stdout[-300:] + done.stderr[-300:]
        return None, None


def examine(tree, commit):
    row = {"commit": commit, "subject": tree.git("log", "-1", "--format=%s", commit).stdout.strip()[:120],
           "at": tree.git("rev-parse", "--short=8", "HEAD").stdout.strip()}
    tree.restore()
    if not tree.put_back(commit):
        return {**row, "tier": None, "stage": "cannot be reverted any more"}
    broken = {**row, "tier": None, "stage": "does not build reverted"}
    for tier, name, target, command in tree.stages(commit):
        if not tree.make(target):
            return broken
        if tree.run(*command).returncode:
            return {**row, "tier": tier, "stage": name}
    if not tree.make("all"):
        return broken
    tier, stage = tree.whole()
    return {**row, "tier": tier or "none", "stage": stage or "nothing in the gate"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=pathlib.Path, required=True)
    parser.add_argument("--record", type=pathlib.Path, default=ROOT / "test/Gate/defects.json")
    parser.add_argument("--most", type=int, default=40, help="defects that could be put back, at most")
    parser.add_argument("commits", nargs="*", metavar="COMMIT")
    options = parser.parse_args()
    tree = Tree(options.tree.resolve())
    if tree.git("status", "--porcelain", "--untracked-files=no").stdout:
        sys.exit(f"error: {options.tree} has changes, expected a clone that may be reset")
    rows = json.loads(options.record.read_text())["defects"] if options.record.exists() else []
    known = {row["commit"] for row in rows if row["tier"] or not (PATCHES / f"{row['commit']}.patch").exists()}
    for commit in options.commits or COMMITS:
        if sum(row["tier"] is not None for row in rows) >= options.most:
            break
        if commit in known and not options.commits:
            continue
        row = examine(tree, commit)
        rows = [old for old in rows if old["commit"] != commit] + [row]
        print(f"{commit} {row['tier']}: {row['stage']}", flush=True)
        options.record.write_text(json.dumps({"defects": rows}, indent=1) + "\n")
    tree.restore()
    counted = [row for row in rows if row["tier"]]
    print(f"{len(counted)} defects: {sum(row['tier'] != 'none' for row in counted)} noticed by the gate")
    return 0


if __name__ == "__main__":
    sys.exit(main())
