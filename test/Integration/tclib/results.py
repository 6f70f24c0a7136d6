"""What the tests record of kinds, types and features, from which scripts/matrix writes docs/Support.md.

A file for each test, BUILD/results/TEST.json: for each kind and form of use (the operation, tmm with one CTA, tmm with
pairs) how many subjects each stage took and how many it should have taken and did not.
"""
import collections
import json
import pathlib

STAGES = ("verified", "lowered", "assembled", "emulated")


class Results:
    def __init__(self):
        self.counts = collections.Counter()

    def add(self, kind, use, stage, right=1, wrong=0):
        assert stage in STAGES
        self.counts[kind, use, stage, "right"] += right
        self.counts[kind, use, stage, "wrong"] += wrong

    def add_run(self, kind, use, error, has_ptxas=True):
        """A kernel that was compiled, assembled and emulated; `error` is that of the first command that failed, or None."""
        command = str(error).split(None, 1)[0] if error else ""
        failed = "lowered" if "tc-compile" in command else "assembled" if "ptxas" in command else "emulated"
        for stage in STAGES[1:]:
            if stage == "assembled" and not has_ptxas:
                continue
            wrong = bool(error) and stage == failed
            self.add(kind, use, stage, 0 if wrong else 1, int(wrong))
            if wrong:
                return

    def write(self, build, test):
        folder = pathlib.Path(build) / "results"
        folder.mkdir(parents=True, exist_ok=True)
        rows = [{"kind": kind, "use": use, "stage": stage, "outcome": outcome, "count": count}
                for (kind, use, stage, outcome), count in sorted(self.counts.items()) if count]
        (folder / f"{test}.json").write_text(json.dumps(rows, indent=1) + "\n")


def read(build):
    """All that was recorded, by (kind, use, stage): (right, wrong)."""
    found = collections.defaultdict(lambda: [0, 0])
    for file in sorted((pathlib.Path(build) / "results").glob("*.json")):
        for row in json.loads(file.read_text()):
            found[row["kind"], row["use"], row["stage"]][row["outcome"] == "wrong"] += row["count"]
    return found
