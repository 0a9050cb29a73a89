"""Memory that a fit from CSV files takes for each MB of the file, by the command line.

    python benches/csv_memory.py BURN_DID [ROWS]

writes files of so many rows to a temporary folder, in which every column is used, or a fifth of them, or which are compressed, runs
`att-gt` on each, whole and in pieces, and prints the largest resident memory beyond that of a fit of a small file. Needs 1 GB of disk.
"""

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from random import Random

PERIODS = 10
COLUMNS = ["--yname", "y", "--tname", "t", "--idname", "id", "--gname", "g"]
IN_PIECES = ["--memory-budget", "50MB"]


def write(path, rows, others):
    """Units of ten periods, a third of them never treated, with so many columns that no fit asks for."""
    random = Random(1)
    with open(path, "w") as file:
        file.write(",".join(["id", "t", "g", "y", *(f"x{k}" for k in range(others))]) + "\n")
        for unit in range(rows // PERIODS):
            group = (0, 4, 7)[unit % 3]
            for period in range(1, PERIODS + 1):
                numbers = (f"{random.gauss(0, 1):.6f}" for _ in range(others + 1))
                file.write(f"{unit},{period},{group},{','.join(numbers)}\n")


def compressed(path):
    with open(path, "rb") as file, gzip.open(path + ".gz", "wb", compresslevel=1) as out:
        shutil.copyfileobj(file, out)
    return path + ".gz"


def peak(program, path, more):
    """Bytes of one fit, in a process of its own so that the largest memory is its."""
    process = subprocess.Popen([program, "att-gt", path, *COLUMNS, *more], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{path} {more} fails")
    return used.ru_maxrss * 1024


def main():
    program, rows = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2_000_000
    with tempfile.TemporaryDirectory() as folder:
        small, narrow, wide = (os.path.join(folder, f"{name}.csv") for name in ("small", "narrow", "wide"))
        write(small, 10_000, 0)
        write(narrow, rows, 0)
        write(wide, rows, 16)
        base = peak(program, small, [])
        print(f"{rows} rows; {base / 1e6:.0f} MB of a small file\n| file | MB | fit | beyond, MB | for each MB |\n|---|---|---|---|---|")
        for name, path in [("all columns used", narrow), ("4 of 20 used", wide), ("the same, gzip", compressed(wide))]:
            for how, more in [("whole", []), ("in pieces, budget 50 MB", IN_PIECES)]:
                size, beyond = os.path.getsize(path) / 1e6, (peak(program, path, more) - base) / 1e6
                print(f"| {name} | {size:.0f} | {how} | {beyond:.0f} | {beyond / size:.2f} |", flush=True)


if __name__ == "__main__":
    main()
