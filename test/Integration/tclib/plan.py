"""What runs: the amounts at each shape."""
import dataclasses

from . import problem as problems

FULL_SHAPE = (200, 136, 72)
PAIRWISE_SHAPES = ((128, 128, 64), (256, 512, 1024), (8, 16, 8), (136, 264, 8), (384, 128, 4096))
SEEDS = 20

# Rows of a transposed A are M elements long here, 2 and 258 bytes: TMA takes
# multiples of 16 only. Threads load them where that is known when compiling, or
# where they are asked to; else the host refuses them.
UNADDRESSABLE_SHAPES = ((1, 8, 8), (129, 264, 8))
EMPTY_SHAPES = ((0, 136, 72), (200, 0, 72), (200, 136, 0))


@dataclasses.dataclass(frozen=True)
class Task:
    """A problem to compile and run, or one that has to be refused."""
    problem: problems.Problem
    seeds: int = 0
    is_refused: bool = False


def matrix(is_campaign):
    """Every shape of the numeric tests; the campaign runs the whole product."""
    tasks = []
    for shape in (FULL_SHAPE,) + PAIRWISE_SHAPES:
        is_full = is_campaign or shape == FULL_SHAPE
        chosen = list(problems.product(shape)) if is_full else problems.pairwise(shape)
        # 20 seeds for one kernel per shape, in a campaign for four of them.
        every = len(chosen) // 4 if is_campaign else len(chosen)
        for index, problem in enumerate(chosen):
            # Unknown sizes get pairs of CTAs; half of them run on one.
            if problem.dynamic and index % 2:
                problem = dataclasses.replace(problem, config="cta-group=1")
            tasks.append(Task(problem, seeds=SEEDS if index % every == 0 else 0))
    return tasks


def edges():
    """Shapes that TMA cannot address in one transposition, empty ones, other forms."""
    tasks = []
    for shape in UNADDRESSABLE_SHAPES:
        for dynamic in (False, True):
            for transpose_a in (False, True):
                for transpose_b in (False, True):
                    problem = problems.Problem(*shape, dynamic=dynamic, transpose_a=transpose_a,
                                               transpose_b=transpose_b)
                    tasks.append(Task(problem, is_refused=transpose_a and dynamic))
                    if dynamic:
                        tasks.append(Task(dataclasses.replace(problem, config="load-a=threads cta-group=1")))
    for shape in EMPTY_SHAPES:
        for dynamic in (False, True):
            for accumulate in (False, True):
                out_type = "f32" if accumulate else "bf16"
                tasks.append(Task(problems.Problem(*shape, dynamic=dynamic, transpose_b=dynamic,
                                                   out_type=out_type, accumulate=accumulate)))
    for form in ("tensor", "generic"):
        for dynamic in (False, True):
            for accumulate in (False, True):
                tasks.append(Task(problems.Problem(200, 136, 72, dynamic=dynamic, transpose_a=accumulate,
                                                   transpose_b=not accumulate, in_type="f16",
                                                   out_type="f16" if accumulate else "f32",
                                                   accumulate=accumulate, form=form)))
    return tasks


def pairs():
    """Pairs of CTAs: K-blocks around the depth of the ring, few and many tiles, tails, with and without roles."""
    depth = 3
    blocks = (0, 1, depth - 1, depth, depth + 1, 2 * depth + 1)
    # One tile, an odd number of them, fewer than pairs, more than pairs; tails in both dimensions.
    outputs = ((256, 128), (8, 16), (600, 136), (520, 264))
    tasks = []
    for index, (count, (m, n)) in enumerate((count, output) for count in blocks for output in outputs):
        transpose_b = index % 3 != 0
        config = (f"cta-group=2 tile=256x{(64, 160, 256)[index % 3] if transpose_b else 128}x64 stages={depth} "
                  f"roles={('specialized', 'none')[index // 2 % 2]} accumulator-stages={1 + index % 2} "
                  f"sms={(2, 4, 148)[index // 3 % 3]}")
        k = max(0, 64 * count - (0, 8, 56)[index % 3])
        problem = problems.Problem(m, n, k, dynamic=index % 4 == 1, transpose_a=index % 5 == 2, transpose_b=transpose_b,
                                   in_type=problems.IN_TYPES[index % 2], out_type=("f32", "bf16", "f16")[index % 3],
                                   accumulate=index % 4 == 3, config=config)
        tasks.append(Task(problem, seeds=SEEDS if index % 12 == 7 else 0))
    return tasks


# Fields that change no number: each alone, then all.
HINTS = ("cache-hint-a=evict-first", "cache-hint-b=evict-last", "cache-hint-a=evict-normal cache-hint-b=evict-first",
         "pdl=on", "epilogue-registers=168",
         "cache-hint-a=evict-last cache-hint-b=evict-first pdl=on")


def hints():
    """Cache hints and programmatic launch, on one CTA and on pairs, with and without roles."""
    tasks = []
    for index, hint in enumerate(HINTS):
        for group in (1, 2):
            # Registers are given up by the other roles.
            roles = "specialized" if "registers" in hint or (index + group) % 2 else "none"
            config = f"cta-group={group} stages=2 roles={roles} sms=4 {hint}"
            problem = problems.Problem(520, 264, 136, dynamic=index % 2 == 0, transpose_a=index % 3 == 1,
                                       transpose_b=index % 2 == 1, out_type="f32", accumulate=index >= 3, config=config)
            tasks.append(Task(problem))
    return tasks


def stores():
    """Both ways to store D: types, depths and widths of the store ring, tails in both dimensions, pairs, roles."""
    outputs = ((128, 64), (8, 16), (200, 136), (300, 264))
    # Configurations that leave no choice: an epilogue that is not possible is an error.
    epilogues = ("tma-store", "tma-store store-stages=1", "tma-store store-stages=3", "tma-store epilogue-subtile=16",
                 "tma-store epilogue-subtile=64", "direct", "direct epilogue-subtile=64")
    tasks = []
    for index, (epilogue, (m, n)) in enumerate((epilogue, output) for epilogue in epilogues for output in outputs):
        group = 1 + index // 2 % 2
        config = (f"cta-group={group} tile={128 * group}x{(64, 128)[index // 3 % 2]}x64 stages=2 epilogue={epilogue} "
                  f"roles={('specialized', 'none')[index // 5 % 2]} accumulator-stages={1 + index // 4 % 2} "
                  f"sms={(2, 148)[index % 2]}")
        # K is stored along the rows of B, so that only the stores ask anything of N.
        problem = problems.Problem(m, n, (0, 72, 136)[index % 3], dynamic=index % 5 == 1, transpose_b=True,
                                   in_type=problems.IN_TYPES[index % 2], out_type=("f32", "bf16", "f16")[index // 2 % 3],
                                   accumulate=epilogue.startswith("direct") and index % 2 == 1, config=config)
        tasks.append(Task(problem, seeds=SEEDS if index % 9 == 2 else 0))
    # Rows of D that TMA cannot address are stored from registers without being asked.
    for dynamic in (False, True):
        for out_type in ("f32", "bf16"):
            tasks.append(Task(problems.Problem(136, 133, 72, dynamic=dynamic, transpose_b=True, out_type=out_type)))
    return tasks


def skinny():
    """Tiles of 64 rows, which fill half of the lanes, and narrow ones: chosen for a small M, or asked for."""
    tasks = []
    shapes = ((64, 136, 72), (1, 8, 264), (40, 24, 264), (200, 40, 72), (130, 8, 520), (33, 264, 0))
    for index, shape in enumerate(shapes):
        for kind in range(2):
            # A small M chooses 64 rows itself; K-major B may have any multiple of 8 columns.
            columns = (8, 24, 64, 136)[(index + kind) % 4]
            config = "" if kind == 0 and shape[0] <= 64 else (
                f"tile=64x{columns}x64 roles={('specialized', 'none')[kind]} sms={(3, 148)[index % 2]}")
            problem = problems.Problem(*shape, dynamic=bool(config) and index % 2 == 1, transpose_b=True,
                                       in_type=problems.IN_TYPES[index % 2], out_type=("f32", "bf16", "f16")[index % 3],
                                       accumulate=kind == 1, config=config)
            tasks.append(Task(problem, seeds=SEEDS if index == 3 else 0))
    return tasks
