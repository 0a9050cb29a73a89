"""Reads a file with polars, twice, and prints the seconds of the second reading and the largest resident memory in MiB."""

import sys
import time

import polars as pl

path = sys.argv[1]


def read():
    if path.endswith(".parquet"):
        return pl.read_parquet(path)
    return pl.read_csv(path, separator=";" if "semicolons" in path else ",")


read()
start = time.perf_counter()
frame = read()
seconds = time.perf_counter() - start
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
print(seconds, peak // 1024, frame.height)
