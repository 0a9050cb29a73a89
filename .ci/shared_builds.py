#!/usr/bin/env python3
"""Compares what two sets of features ask of polars and of all that it is built on: `shared_builds.py "--features cli" --all-features`.

Polars takes most of a build. It serves the tests of both sets only if every crate below it has the same features in both, for which
some dev-dependencies of Cargo.toml ask for features that nothing here needs. Fails, and names the crates, where they differ.
"""

import subprocess
import sys

ROOT = "polars "


def below(options: str) -> set[tuple[str, str]]:
    """The crates that polars is built of, each with its features."""
    command = ["cargo", "tree", "--locked", "--edges", "normal,build,dev", "--prefix", "depth", "--format", "|{p}|{f}", *options.split()]
    tree = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    needs: dict[tuple[str, str], set[tuple[str, str]]] = {}
    path: list[tuple[str, str]] = []
    for line in tree.splitlines():
        depth, crate, features = line.removesuffix(" (*)").split("|")
        node = (crate, features)
        needs.setdefault(node, set())
        del path[int(depth or 0) :]
        if path:
            needs[path[-1]].add(node)
        path.append(node)
    found = {node for node in needs if node[0].startswith(ROOT)}
    left = list(found)
    while left:
        for node in needs[left.pop()] - found:
            found.add(node)
            left.append(node)
    return found


def main() -> int:
    first, second = (below(options) for options in sys.argv[1:3])
    for title, crates in ((sys.argv[1], first - second), (sys.argv[2], second - first)):
        for crate, features in sorted(crates):
            print(f"only with {title}: {crate}: {features}")
    return int(first != second)


if __name__ == "__main__":
    sys.exit(main())
