#!/usr/bin/env python3
"""What the passes of a fit should take on an NVIDIA H200: calls, bytes and operations of the kernels as they are written.

Nothing is measured here. Calls are those that a fit counts (`timings.device`); the instructions of the bootstrap are those that
`instructions.py` counts in its kernel; the rates are the manufacturer's (4.8 TB/s, 34 teraflops in double precision, 64
operations on integers and 128 instructions a cycle and processor) and common figures for a launch (5 µs) and for a read that the
host waits for (45 µs).
"""

BANDWIDTH, FLOPS, LAUNCH, READ = 4.8e12, 34e12, 5e-6, 45e-6
WIDTH = 8  # bytes of a double
EXP = 65  # operations of an exponential and the two divisions of a propensity score
SHARED = 132 * 1.7e9  # loads from shared memory a second, each by the 32 units of a warp
INTEGERS = 132 * 64 * 1.7e9  # operations on integers a second
ISSUED = 132 * 128 * 1.7e9  # instructions a second
STEPS = 13.3  # random bits until 32 rows of 128 Mammen multipliers are known: log2(4096) + 4/3
# Operations on integers, and all instructions of a unit:
BITS = 32, 48  # 128 random bits, and comparing them with a probability (the loop of the Mammen law)
ROW = 51, 192  # what a row of 128 draws takes beside its random bits
SUMS = 26 / 8, 76 / 8  # a draw of a row, for five columns (the loop over rows does eight)


def blocks(height, columns):
    """Blocks of 4 × 8 products on and above the diagonal."""
    step = 4 if height > 1 else 1
    return sum(1 for i in range(0, height, step) for j in range(i // 8 * 8, columns, 8))


def fit(n, periods, cohorts, never, k, models, draws):
    """Launches, reads, seconds of calls and of all passes, and those that no way of computing could do without."""
    share = (1 - never) / cohorts
    cells = cohorts * (periods - 1)
    own, control = periods - 1 + 1, cells  # influence columns of a cohort and of the never-treated
    data = periods + k - 1
    launches, reads = 2 + (4 if k > 1 else 3), 2
    traffic = n * data * WIDTH  # cross-products
    operations = n * 2 * 32 * blocks(k, k + periods) if k > 1 else n * 2 * 8
    if models:
        # Four passes over all rows, three over an eighth, and the cross-products weighted by odds; tiles stay in the cache.
        steps, rows = 4 + 3 / 8, models * n * (share + never + (1 - never) / 2)
        per_block = 2 * (k - 1) + EXP + 2 * 32
        launches, reads = launches + 2 * 8, reads + 8
        traffic += (steps + 1) * n * data * WIDTH
        operations += rows * (steps * blocks(k, k + 1) + blocks(k, k + periods)) * per_block
    if k > 1:
        # Influence values are written once and read once by each row of blocks, from the cache but for the first time.
        columns = (1 - never) * own + never * control
        traffic += n * (data + 2 * columns) * WIDTH
        operations += n * columns * (8 + EXP)
        products = (1 - never) * blocks(own, own) + never * blocks(control, control)
    else:
        # Products of the outcomes themselves, and of each tile what is mapped to those of the columns.
        columns = periods
        products = blocks(periods, periods)
        mapped = (1 - never) * blocks(own, own) + never * blocks(control, control)
        traffic += n * data * WIDTH + n / 4096 * 2 * 32 * (products + 2 * mapped) * WIDTH
    operations += n * 2 * 32 * products
    least = 2 * n * data * WIDTH / BANDWIDTH
    loads = integers = instructions = 0
    if draws:
        # From the sample, and of each tile twice what is mapped.
        launches += 3
        mapped = (1 - never) * own + never * control
        traffic += n * data * WIDTH + 2 * n / 4096 * (columns + mapped) * draws * WIDTH
        operations += n * draws * 2 * columns
        loads = n * draws / 128 * (columns + 4)
        integers, instructions = (
            n * draws * ((STEPS * bits + row) / 128 + sums) for bits, row, sums in zip(BITS, ROW, SUMS)
        )
    calls = launches * LAUNCH + reads * READ
    work = max(traffic / BANDWIDTH, operations / FLOPS, loads / SHARED, integers / INTEGERS, instructions / ISSUED)
    return launches, reads, calls, work, max(least, operations / FLOPS)


def main():
    cases = {
        "p1": dict(periods=5, cohorts=3, never=0.4, k=1, models=0, draws=0),
        "p2": dict(periods=5, cohorts=3, never=0.4, k=1, models=0, draws=1000),
        "p3": dict(periods=10, cohorts=8, never=0.4, k=6, models=64, draws=0),
    }
    print("| case | units | launches | reads | calls, ms | work, ms | floor, ms | share of the floor |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, case in cases.items():
        for n in (1_000_000, 10_000_000):
            launches, reads, calls, work, floor = fit(n, **case)
            share = floor / (calls + work)
            print(
                f"| {name} | {n:,} | {launches} | {reads} | {1e3 * calls:.2f} | {1e3 * work:.2f} | "
                f"{1e3 * floor:.2f} | {share:.0%} |"
            )


if __name__ == "__main__":
    main()
