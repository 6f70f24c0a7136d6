"""Which cases of a matrix run: a fixed smoke set, and one part of the rest.

`--shard I/N` runs the cases whose number is I modulo N, and those of the smoke set: few cases that together have every
word that the names of all cases have (an operand type, a transposition, a field of the configuration ...), so that no
feature is left out. scripts/test takes I from the commit: all parts run in N commits, on average.
"""
import argparse
import collections
import re


def shard(text):
    """"1/3" as (1, 3)."""
    found = re.fullmatch(r"(\d+)/([1-9]\d*)", text)
    if not found or int(found[1]) >= int(found[2]):
        raise argparse.ArgumentTypeError(f"expected I/N with I < N, such as 1/3, got '{text}'")
    return int(found[1]), int(found[2])


def add_option(parser):
    parser.add_argument("--shard", type=shard, default=(0, 1), metavar="I/N", help="the smoke set, and one part of N of the others")


def words(name):
    """What a name says, without sizes: of 200x136x72 and 3 nothing, of cta-group=2 also cta-group2."""
    tokens = re.split(r"[\s,/:-]+", name) + re.split(r"[\s,/:_=-]+", name)
    return {token for token in tokens if re.search(r"[a-zA-Z]", token) and not re.match(r"\d+x\d", token)}


def smoke(names):
    """Numbers of few names that have every feature between them: each time the first name with the most new ones. A
    feature is a word of several names; a word of one or two names is that case itself."""
    counts = collections.Counter(word for name in names for word in words(name))
    missing = {word for word, count in counts.items() if count >= max(3, len(names) // 40)}
    found, of_each = set(), [words(name) for name in names]
    while missing:
        best = max(range(len(names)), key=lambda index: (len(of_each[index] & missing), -index))
        found.add(best)
        missing -= of_each[best]
    return found


def select(cases, name, part):
    """The cases of a part, in their order; `name` gives that of a case."""
    index, count = part
    if count == 1:
        return list(cases)
    fixed = smoke([name(case) for case in cases])
    chosen = [case for number, case in enumerate(cases) if number in fixed or number % count == index]
    # With fewer cases than parts some part has none of its own.
    return chosen or cases[index % len(cases):][:1] if cases else []
