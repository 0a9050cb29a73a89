#!/usr/bin/env python3
"""Lines within functions of LLVM code, in all and by the crate that the function is from.

    cargo rustc --lib --features cli -- --emit=llvm-ir -C no-prepopulate-passes -C codegen-units=1 -C debuginfo=0
    llvm_lines.py target/debug/deps/burn_did-*.ll
"""

import collections
import re
import sys


def crate(symbol):
    """The first path in a mangled name: that of the function, or of the type that implements it."""
    path = re.match(r"_ZN\d+(?:_\$LT\$)?([A-Za-z_]\w*?)(?:\.\.|\$|E|\d)", symbol)
    return path[1] if path and path[1] != "_" else "others"


def main():
    lines = collections.Counter()
    for name in sys.argv[1:]:
        with open(name, errors="replace") as code:
            inside = None
            for line in code:
                if line.startswith("define"):
                    inside = crate(re.search(r'@"?([^"(]+)', line)[1])
                if inside:
                    lines[inside] += 1
                if line.startswith("}"):
                    inside = None
    print(f"{sum(lines.values()):>10,}  in all")
    for name, count in lines.most_common(15):
        print(f"{count:>10,}  {name}")


if __name__ == "__main__":
    main()
