#!/usr/bin/env python3
"""What a program consists of: `python3 benches/sizes.py PROGRAM`, of one with symbols (`CARGO_PROFILE_RELEASE_STRIP=none cargo build --release`).

Functions are counted for the first crate that their name has, generic ones of the standard library for the crate of their first other
type. Needs `nm`.
"""

import collections
import re
import subprocess
import sys

STANDARD = {"core", "alloc", "std"}
ROWS = 25


def crate(name: str) -> str:
    """The crate of a demangled name."""
    paths = re.findall(r"([a-z_][a-z0-9_]*)(?:::[a-zA-Z0-9_]+)+", name)
    if not paths:
        return "C and assembly"
    of_others = [path for path in paths if path not in STANDARD]
    return of_others[0] if of_others else "the standard library"


def main() -> None:
    lines = subprocess.run(["nm", "-S", "-C", sys.argv[1]], check=True, capture_output=True, text=True).stdout.splitlines()
    symbols = [line.split(None, 3) for line in lines]
    sizes: collections.Counter[str] = collections.Counter()
    for _, size, kind, name in (symbol for symbol in symbols if len(symbol) == 4):
        if kind in "tTwWrRdD":
            sizes[crate(name)] += int(size, 16)
    total = sum(sizes.values())
    print(f"{total / 1e6:8.1f} MB in all")
    for name, size in sizes.most_common(ROWS):
        print(f"{size / 1e6:8.1f} MB {100 * size / total:5.1f} %  {name}")


if __name__ == "__main__":
    main()
