#!/usr/bin/env python3
"""Whether what is compiled for the tests serves everything else: `shared_builds.py "--features cli"`.

Polars takes most of a build. It serves the tests of all features, too, only if every crate below it has the same features in both; and
the package for Python takes this crate as the tests have it only if it asks for no other features of anything. For both, some
dev-dependencies of Cargo.toml ask for features that nothing here needs. Fails, and names the crates, where they differ.
"""

import subprocess
import sys

ROOT = "polars "
PYTHON = "-p burn-did-python --features shared"


Node = tuple[str, str]


def needs(options: str) -> dict[Node, set[Node]]:
    """The crates that are built, each with its features, and what each needs."""
    command = ["cargo", "tree", "--locked", "--edges", "normal,build,dev", "--prefix", "depth", "--format", "|{p}|{f}", *options.split()]
    tree = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    needs: dict[Node, set[Node]] = {}
    path: list[Node] = []
    for line in tree.splitlines():
        depth, crate, features = line.removesuffix(" (*)").split("|")
        node = (crate, features)
        needs.setdefault(node, set())
        del path[int(depth or 0) :]
        if path:
            needs[path[-1]].add(node)
        path.append(node)
    return needs


def below(root: str, needs: dict[Node, set[Node]]) -> set[Node]:
    """The crates that the root is built of."""
    found = {node for node in needs if node[0].startswith(root)}
    left = list(found)
    while left:
        for node in needs[left.pop()] - found:
            found.add(node)
            left.append(node)
    return found


def main() -> int:
    tests, everything, python = (needs(options) for options in (sys.argv[1], "--all-features", PYTHON))
    first, second = below(ROOT, tests), below(ROOT, everything)
    known = {crate for crate, _ in tests}
    others = {node for node in set(python) - set(tests) if node[0] in known}
    differing = ((sys.argv[1], first - second), ("--all-features", second - first), (PYTHON, others))
    for title, crates in differing:
        for crate, features in sorted(crates):
            print(f"only with {title}: {crate}: {features}")
    return int(any(crates for _, crates in differing))


if __name__ == "__main__":
    sys.exit(main())
