"""The command line: ``python -m burn_did`` is ``burn-did``."""

from __future__ import annotations

import sys

from . import _native


def main() -> None:
    """Run the command line of this process."""
    sys.stdout.flush()
    sys.exit(_native.run(["burn-did", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
