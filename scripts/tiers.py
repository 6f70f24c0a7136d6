#!/usr/bin/env python3
"""The stages of scripts/test and scripts/nightly, as data, and what runs them.

    tiers.py [TIER...] [--only REGEX] [--part I/N] [--nightly] [--since COMMIT] [--build DIR] [--sanitized DIR] [--jobs N] [--list]

A tier is a list of stages; tiers run one after the other. A stage is a command with a log. Stages that use one core run
side by side, the longest first, by the seconds that the last run of this build folder took (else in their order here);
`whole` ones run alone on all cores. The first failure ends the run with its log and exit status 1.

The gate takes a smoke set and one fifth of each matrix of kernels, by the commit (test/Integration/tclib/selection.py);
--nightly takes all, and the stages that the gate has no time for. Every run writes BUILD/stages.json: commit, cores, the
compiler cache's hits and the seconds of each stage.

With --since (a commit whose gate has passed, or `recorded`: the last one in docs/status.json), a change of documents
alone runs the tier `static`, and where an example in a document changed, the tests of documents on a build, too.
"""
import argparse
import concurrent.futures
import dataclasses
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
TIERS = ("static", "build", "unit", "lit", "kernels", "sanitized", "install")
PARTS = 5  # the gate runs one of them


@dataclasses.dataclass(frozen=True)
class Stage:
    """`gate` and `nightly` are commands, "" where the stage does not run there; nightly is that of the gate by default.
    {part} is the part of the matrix; {jobs} the cores of a stage: 1, with `whole` all."""
    tier: str
    name: str
    gate: str
    nightly: str = None
    whole: bool = False
    documents: bool = False  # runs for a change of examples in documents
    last: bool = False  # runs after the others of its tier

    def command(self, is_nightly):
        return self.gate if self.nightly is None or not is_nightly else self.nightly


def script(name, options="", nightly=None):
    """A stage of the tier `kernels`: a test of test/Integration, by its name."""
    run = f"{{python}} {{root}}/test/Integration/{name}.py --build {{build}} --jobs {{jobs}} "
    part = "--shard {part} "
    return Stage("kernels", name, run + part + options, run + (options if nightly is None else nightly))


def corpus(name, path, is_nightly=False):
    """A stage of the tier `kernels`: tests of lit that compare many texts and take long."""
    # Several run at once, and lit's file of times is one: two writers leave what the next cannot read.
    command = (f"{{python}} {{lit}} -sv -j {{jobs}} --skip-test-time-recording --param corpora=1 {{build}}/test "
               f"--filter {path}")
    return Stage("kernels", name, "" if is_nightly else command, command)


def check(name, *options):
    return Stage("static", name, " && ".join(f"{{python}} {{root}}/scripts/{name} {option}" for option in options or ("",)))


# Unit tests that the build without sanitizers runs alone: those that run again, changed a little, what others run once,
# those that count many steps of few instructions, and those that compare all numbers of a type.
AGAIN = ":".join((
    *(f"Litmus.{name}" for name in (
        "instructions_that_never_run_change_nothing", "line_breaks_change_nothing", "every_rule_matters",
        "wrong_kernels_fail_under_every_schedule", "right_kernels_are_silent_under_every_schedule")),
    "Spin.EndlessLoops*", "Deadlock.LoopsThatPollByHandAreNoticed", "Deadlock.LongComputationsAreNotLoops", "Kernels.Speed",
    "MmaBlock.f8f6f4_equals_the_reference", "Exact.f8f6f4_all_pairs_of_types", "Exact.every_product_of_two_codes",
    "ConfigTest.EveryCombinationIsExplained", "TmemLayoutsRun.*"))
STAGES = (
    Stage("static", "check-format", "{root}/scripts/check-format"),
    check("check-includes.py", "--self-test", ""),
    check("check-middle.py", "--self-test", ""),
    check("check-messages.py", "--self-test", ""),
    check("check-documents.py", "--self-test", ""),
    check("status", "--self-test", "--check"),
    check("matrix", "--check"),
    Stage("static", "selection of stages", "{python} {root}/scripts/tiers.py --self-test"),

    Stage("build", "configure", "{root}/scripts/configure gate {build}", whole=True, documents=True),
    Stage("build", "everything", "ninja -C {build} -j {jobs} all tc-fuzz-passes", whole=True, documents=True),
    Stage("build", "generated pages", "ninja -C {build} -j {jobs} tc-doc", whole=True),

    Stage("unit", "unit tests", "ninja -C {build} -j {jobs} check-tc-unit",
          "TC_EVERY_COMBINATION=1 ninja -C {build} -j {jobs} check-tc-unit", whole=True),

    Stage("lit", "lit", "{python} {lit} -sv -j {jobs} --filter-out Integration {build}/test", whole=True),
    Stage("lit", "documents", "{python} {lit} -sv -j {jobs} --param corpora=1 --filter Docs/ {build}/test", "", documents=True),

    script("block_scaled", "--short --seeds 1", "--seeds 2"),
    script("run"),
    script("batch"),
    script("ladder"),
    script("epilogue"),
    script("models"),
    script("convolutions"),
    script("front_ends"),
    script("f32_products"),
    Stage("kernels", "random modules",
          "{python} {root}/test/Integration/random_modules.py --build {build} --jobs {jobs} --count 100 --seed {seed} --most-refused 0.4",
          "{python} {root}/test/Integration/random_modules.py --build {build} --jobs {jobs} --count 1000 --most-refused 0.3"),
    Stage("kernels", "rows",
          "{python} {root}/test/Integration/rows.py --build {build} --jobs {jobs} --count 50 --seed 200",
          "{python} {root}/test/Integration/rows.py --build {build} --jobs {jobs} --count 300 --seed 200"),
    Stage("kernels", "attention",
          "{python} {root}/test/Integration/attention.py --build {build} --jobs {jobs} --count 25 --seed {seed}",
          "{python} {root}/test/Integration/attention.py --build {build} --jobs {jobs} --count 300 --seeds 20"),
    Stage("kernels", "gradients of attention",
          "{python} {root}/test/Integration/attention_backward.py --build {build} --jobs {jobs} --count 20 --seed {seed}",
          "{python} {root}/test/Integration/attention_backward.py --build {build} --jobs {jobs} --count 200 --seeds 20"),
    script("clusters"),
    script("kinds", "--every 8 --seeds 1", "--seeds 2"),
    script("large_blocks", "--short --seeds 1", "--seeds 2"),
    script("sparse", "--short --seeds 1", "--seeds 2"),
    script("quantized", "--short --seeds 1", "--seeds 2"),
    script("encode", "--short --seeds 1", "--seeds 2"),
    script("chains", "--seeds 1", "--seeds 2"),
    script("chained", "--seeds 1", "--seeds 2"),
    script("split_k", "--seeds 1", "--seeds 2"),
    script("grouped", "--every 3 --seeds 1", "--seeds 2"),
    script("unaligned", "--every 4 --count 40 --seeds 1", "--count 100 --seeds 2"),
    script("wgmma", "--every 3 --seeds 1", "--seeds 3"),
    script("counter", "--seeds 1", "--seeds 2"),
    script("mma_sync", "--every 6 --seeds 1", "--seeds 3"),
    script("rubin", "--every 5 --seeds 1", "--seeds 20"),
    script("roles"),
    corpus("forms of mma", "TCGen05ToNVVM/mma-forms.test"),
    corpus("forms of block scales", "TCGen05ToNVVM/block-scale.test"),
    corpus("forms of sm_107", "TCGen05ToNVVM/rubin-forms.test"),
    corpus("forms of ld and st", "TCGen05ToNVVM/access-run.test"),
    corpus("refusals", "Compiler/refusals.test"),
    corpus("public reports", "Reports/run.test"),
    corpus("kernels of Triton", "triton/replay.test"),
    corpus("number formats", "Formats/formats.test"),
    corpus("the replay of results", "Device/replay.test", is_nightly=True),
    corpus("wrong kernels of an H200", "Device/wrong.test", is_nightly=True),
    corpus("code blocks of documents", "Docs/blocks.test"),
    Stage("kernels", "legality",
          "{python} {root}/test/Legality/legality.py --tool {build}/bin/tc-legality --compile {build}/bin/tc-compile "
          "--work {build}/legality --every 4000 --targets sm_100a --build {build}"),
    Stage("kernels", "docs/Support.md from the results", "{python} {root}/scripts/matrix --check --part --results {build}",
          "{python} {root}/scripts/matrix --check --results {build}", last=True),
    Stage("kernels", "results of an H200: kernels",
          "{python} {root}/test/Device/gemm_replay.py --build {build} --jobs {jobs} --least 60"),
    Stage("kernels", "results of an H200: micro-kernels",
          "{python} {root}/test/Device/replay.py --tc-run {build}/bin/tc-run --jobs {jobs} --least 200"),
    Stage("kernels", "programs of nvcc", "{python} {root}/test/CudaRuntime/run.py --build {build}"),
    Stage("kernels", "seeded bugs", "{python} {root}/test/Mutation/mutate.py --build {build} --fast --jobs {jobs}",
          "{root}/scripts/mutate"),
    Stage("kernels", "seeded bugs, verdicts",
          "{python} {root}/test/Mutation/mutate.py --build {build} --certify --fast --jobs {jobs}",
          "{python} {root}/test/Mutation/mutate.py --build {build} --certify --jobs {jobs}"),
    Stage("kernels", "broken rules", "{python} {root}/test/RuleMutation/campaign.py --build {build} --fast --jobs {jobs}",
          "{root}/scripts/mutate-rules"),
    Stage("kernels", "passes in random order",
          "{python} {root}/test/Fuzz/passes.py --tool {build}/bin/tc-fuzz-passes --findings {build}/findings --jobs {jobs} "
          "--runs 2000 --seed {seed} --max-seconds 100"),

    Stage("sanitized", "build of emulator and runtime",
          "{root}/scripts/configure asan-runtime {sanitized} && ninja -C {sanitized} -j {jobs} all", whole=True),
    Stage("sanitized", "unit tests, sanitized", f"GTEST_FILTER='-{AGAIN}' ninja -C {{sanitized}} -j {{jobs}} check-tc-unit",
          "ninja -C {sanitized} -j {jobs} check-tc-unit", whole=True),
    Stage("sanitized", "kernels and damaged input, sanitized",
          "{python} {root}/test/Integration/sanitized.py --build {build} --sanitized {sanitized} --jobs {jobs} --mutants 80",
          "{python} {root}/test/Integration/sanitized.py --build {build} --sanitized {sanitized} --jobs {jobs}", whole=True),
    Stage("sanitized", "compiler, sanitized", "", "{root}/scripts/test-sanitized", whole=True),

    Stage("install", "install tree", "{root}/scripts/test-install --tree", "{root}/scripts/test-install --full", whole=True),
    Stage("install", "the site and its links", "", "{root}/scripts/docs", whole=True),
)
# docs/data is read by tests of the emulator, too.
DOCUMENTS = re.compile(r"(.*\.md|docs/(?!data/).*|LICENSE|\.github/ISSUE_TEMPLATE/.*)")
# Documents without examples: text, and the data of generated pages, which the static checks compare.
TEXTS = re.compile(r".*\.md|docs/status\.json|LICENSE")


def git(*arguments):
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)


def changed(since):
    """Paths that differ from a commit, those not committed among them; None where it is no ancestor."""
    if not since or git("merge-base", "--is-ancestor", since, "HEAD").returncode:
        return None
    paths = git("diff", "--name-only", since).stdout.splitlines()
    return paths + git("ls-files", "--others", "--exclude-standard").stdout.splitlines()


def recorded():
    """The commit of the newest whole gate in docs/status.json that is before this one; "" where none is."""
    try:
        runs = json.loads((ROOT / "docs/status.json").read_text())["gate"]
    except (OSError, ValueError, KeyError):
        return ""
    commits = [runs[kind]["commit"] for kind in ("cold", "warm") if kind in runs]
    distances = {commit: len(paths) for commit in commits if (paths := changed(commit)) is not None}
    return min(distances, key=distances.get, default="")


def examples(text):
    """The blocks of code of a document."""
    return re.findall(r"^```.*?^```", text, re.M | re.S)


def stages_for(paths, text_of, now_of):
    """Which stages a change needs: "all", "documents" where examples changed, or "static"."""
    if paths is None or any(not DOCUMENTS.fullmatch(path) for path in paths):
        return "all"
    if any(not TEXTS.fullmatch(path) or examples(text_of(path)) != examples(now_of(path)) for path in paths):
        return "documents"
    return "static"


def self_test():
    old, new = "a\n```sh\nls\n```\n", "b\n```sh\nls\n```\n"
    cases = [(None, old, "all"), (["lib/a.cpp", "README.md"], new, "all"), (["README.md"], new, "static"),
             (["docs/a/b.md"], new + "```sh\n```\n", "documents"), (["docs/site/stage.py"], old, "documents"), (["docs/status.json"], old, "static"),
             (["docs/data/litmus.tsv"], old, "all"), ([], old, "static")]
    for paths, now, expected in cases:
        got = stages_for(paths, lambda path: old, lambda path: now)
        assert got == expected, (paths, expected, got)
    assert {stage.tier for stage in STAGES} == set(TIERS)
    names = [stage.name for stage in STAGES]
    assert len(names) == len(set(names)), names


def cache_counts():
    """Hits and misses of the compiler cache so far."""
    done = subprocess.run(["ccache", "--print-stats"], capture_output=True, text=True) if has_ccache() else None
    counts = dict(line.split("\t") for line in done.stdout.splitlines() if "\t" in line) if done else {}
    get = lambda key: int(counts.get(key, 0))
    return get("direct_cache_hit") + get("preprocessed_cache_hit"), get("cache_miss")


def has_ccache():
    return not os.environ.get("CCACHE_DISABLE") and subprocess.run(["which", "ccache"], capture_output=True).returncode == 0


class Run:
    def __init__(self, options):
        self.options, self.seconds, self.failed = options, {}, None
        self.start, self.lock = time.monotonic(), threading.Lock()
        self.logs = options.build.parent / f"{options.build.name}-logs"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.record = options.build / "stages.json"
        try:
            self.last = {row["name"]: row["seconds"] for row in json.loads(self.record.read_text())["stages"]}
        except (OSError, ValueError, KeyError):
            self.last = {}

    def run(self, stage):
        if self.failed:
            return
        options = self.options
        commit = git("rev-parse", "HEAD").stdout.strip() or "0"
        command = stage.command(options.nightly).format(
            python=options.python, root=ROOT, build=options.build, sanitized=options.sanitized, lit=options.lit,
            jobs=options.jobs if stage.whole else 1, part=options.part or f"{int(commit, 16) % PARTS}/{PARTS}", seed=int(commit[:6], 16) + 1)
        command = re.sub(r"(--filter(?:-out)?) (\S+)", r"\1 '\2'", command)
        begin = time.monotonic()
        log = self.logs / (re.sub(r"\W+", "-", stage.name) + ".log")
        with log.open("w") as out:
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
        seconds = time.monotonic() - begin
        with self.lock:
            self.seconds[stage.name] = seconds
            last = (log.read_text(errors="replace").strip().splitlines() or [""])[-1]
            print(f"{stage.tier}: {stage.name}: {seconds:.1f} s{': ' + last[:160] if last else ''}", flush=True)
            if done.returncode and not self.failed:
                self.failed = stage
                sys.stdout.write(log.read_text(errors="replace")[-20000:])
                print(f"FAILED: {stage.name} (exit status {done.returncode}): {command}", flush=True)

    def tier(self, name, stages):
        begin = time.monotonic()
        for stage in (stage for stage in stages if stage.whole):
            self.run(stage)
        pool = sorted((stage for stage in stages if not stage.whole and not stage.last), key=lambda stage: -self.last.get(stage.name, 1e9))
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as executor:
            list(executor.map(self.run, pool))
        for stage in (stage for stage in stages if stage.last):
            self.run(stage)
        print(f"== {name}: {time.monotonic() - begin:.0f} s, {time.monotonic() - self.start:.0f} s in all", flush=True)

    def write(self, stages, counts):
        hits, misses = (now - before for now, before in zip(cache_counts(), counts))
        tiers = {stage.name: stage.tier for stage in stages}
        rows = [{"tier": tiers[name], "name": name, "seconds": round(seconds, 1)} for name, seconds in self.seconds.items()]
        text = json.dumps({
            "commit": git("rev-parse", "--short=8", "HEAD").stdout.strip(),
            "date": datetime.date.today().isoformat(), "cores": os.cpu_count(), "jobs": self.options.jobs,
            "run": "nightly" if self.options.nightly else "gate", "cache": {"hits": hits, "misses": misses},
            "failed": self.failed.name if self.failed else None,
            "seconds": round(time.monotonic() - self.start, 1), "stages": rows}, indent=1)
        self.options.build.mkdir(exist_ok=True)
        part = self.record.with_suffix(".part")
        part.write_text(text + "\n")
        part.rename(self.record)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tiers", nargs="*", metavar="TIER", help=", ".join(TIERS))
    parser.add_argument("--nightly", action="store_true")
    parser.add_argument("--since", metavar="COMMIT", default="")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-gate")
    parser.add_argument("--sanitized", type=pathlib.Path, default=ROOT / "build-asan-runtime")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--lit", default="/usr/lib/llvm-22/bin/lit")
    parser.add_argument("--part", default="", metavar="I/N", help="of each matrix; by default the commit says which fifth")
    parser.add_argument("--only", default="", metavar="REGEX", help="stages whose name matches")
    parser.add_argument("--list", action="store_true", help="prints the stages and their commands")
    parser.add_argument("--again", action="store_true", help="prints the unit tests that no sanitizer runs, as a filter")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.again:
        return print(AGAIN)
    if options.self_test:
        self_test()
        return 0
    unknown = [tier for tier in options.tiers if tier not in TIERS]
    if unknown:
        parser.error(f"expected a tier of {', '.join(TIERS)}, got {unknown[0]}")
    if options.part and not re.fullmatch(r"\d+/[1-9]\d*", options.part):
        parser.error(f"expected --part I/N, as 0/3, got {options.part}")
    if options.part and int(options.part.split("/")[0]) >= int(options.part.split("/")[1]):
        parser.error(f"expected a part from 0 to {int(options.part.split('/')[1]) - 1}, got {options.part}")
    if options.jobs < 1:
        parser.error(f"expected at least 1 job, got {options.jobs}")
    try:
        re.compile(options.only)
    except re.error as error:
        parser.error(f"expected a regular expression, got --only={options.only}: {error}")
    if options.since not in ("", "recorded") and git("rev-parse", "--verify", f"{options.since}^{{commit}}").returncode:
        parser.error(f"expected a commit, got --since={options.since}")
    if options.since == "recorded":
        options.since = recorded()
    stages = [stage for stage in STAGES if stage.command(options.nightly) and stage.tier in (options.tiers or TIERS)]
    if not options.tiers and not options.nightly:
        needed = stages_for(changed(options.since), lambda path: git("show", f"{options.since}:{path}").stdout,
                            lambda path: (ROOT / path).read_text() if (ROOT / path).exists() else "")
        if needed == "all":
            stages = [stage for stage in stages if stage.name != "documents"]
        else:
            print(f"documents alone changed since {options.since}: {'their tests' if needed == 'documents' else 'static checks'}")
            stages = [stage for stage in stages if stage.tier == "static" or needed == "documents" and stage.documents]
    stages = [stage for stage in stages if re.search(options.only, stage.name)]
    if not stages:
        parser.error(f"expected a name that --list prints for the same tiers, got --only={options.only}")
    if options.list:
        for stage in stages:
            print(f"{stage.tier:10} {stage.name:40} {stage.command(options.nightly)}")
        return 0
    run, counts = Run(options), cache_counts()
    for tier in TIERS:
        of_tier = [stage for stage in stages if stage.tier == tier]
        if of_tier and not run.failed:
            run.tier(tier, of_tier)
    run.write(stages, counts)
    if run.failed:
        return 1
    print(f"== all passed: {len(run.seconds)} stages in {time.monotonic() - run.start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
