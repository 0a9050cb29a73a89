"""Estimators of event times and of two-way fixed effects on 10 M units in ten periods, by the command line.

    python benches/large.py BURN_DID [UNITS]

writes a parquet file of so many units to a temporary folder, runs each command on it and prints its seconds and its largest resident
memory, and that as a multiple of the columns' bytes. Needs numpy and pyarrow, and for 10 M units 16 GiB of memory and 1 GB of disk.
"""

import os
import subprocess
import sys
import tempfile
import time

PERIODS = 10
AT_ONCE = 500_000
COMMANDS = ["att-gt", "bacon", "twfe-weights", "two-stage", "imputation"]


def write(path, units):
    """Five cohorts of 12 % each; treated effects grow with the time since treatment."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    writer = None
    for first in range(0, units, AT_ONCE):
        some = min(AT_ONCE, units - first)
        group = rng.choice([0, 4, 5, 6, 7, 8], some, p=[0.4] + 5 * [0.12])
        unit = np.repeat(np.arange(first, first + some), PERIODS)
        period = np.tile(np.arange(1, PERIODS + 1), some)
        group = np.repeat(group, PERIODS)
        effect = ((group > 0) & (period >= group)) * (1 + 0.1 * (period - group))
        own = np.repeat(rng.normal(size=some), PERIODS)
        outcome = own + 0.1 * period + effect + rng.normal(size=some * PERIODS)
        table = pa.table({"id": unit, "t": period, "g": group, "y": outcome})
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def run(program, command, path):
    """Seconds and bytes of one command, in a process of its own so that the largest memory is its."""
    columns = ["--yname", "y", "--tname", "t", "--idname", "id", "--gname", "g"]
    started = time.perf_counter()
    process = subprocess.Popen([program, command, path, *columns], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    if status != 0:
        sys.exit(f"{command} failed")
    return seconds, used.ru_maxrss * 1024


def main():
    if sys.argv[1] == "--write":
        return write(sys.argv[2], int(sys.argv[3]))
    program = sys.argv[1]
    units = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000
    columns = 4 * 8 * units * PERIODS
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "panel.parquet")
        # The largest memory of a command counts what its parent has when it starts it.
        subprocess.run([sys.executable, __file__, "--write", path, str(units)], check=True)
        print(f"{units:,} units in {PERIODS} periods, columns of {columns / 2**20:,.0f} MiB")
        print("| command | seconds | peak, MiB | of the columns |\n| --- | ---: | ---: | ---: |")
        for command in COMMANDS:
            seconds, peak = run(program, command, path)
            print(f"| {command} | {seconds:.1f} | {peak / 2**20:,.0f} | {peak / columns:.1f} |")


if __name__ == "__main__":
    main()
