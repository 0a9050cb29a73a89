"""Checks what the documentation says about other packages, and prints a table of every claim.

    python3 tests/peers/run.py                     # all, in environments of its own (target/claims)
    python3 tests/peers/run.py moderndid_options   # scripts whose name contains the word
    python3 tests/peers/run.py --python moderndid=PATH --python others=PATH   # interpreters that have the packages

The exit status is 0 if every claim that could be checked holds. R scripts run if `Rscript` is there; a package that is not
installed is reported as not checked.
"""

import argparse
import json
import subprocess
import sys
import venv
from itertools import chain
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = HERE.parents[1] / "target/claims"
# Scripts by environment.
PYTHON = {
    "moderndid": ["moderndid_options", "moderndid_golden", "moderndid_others", "moderndid_doses"],
    "others": ["csdid_claims", "diff_diff_claims", "pyfixest_claims"],
}
R = ["did", "drdid", "triplediff", "contdid", "fixest"]
# Packages whose declared Python is newer than they need.
WITHOUT_DEPENDENCIES = {"moderndid": "moderndid==0.4.1"}


def environment(name):
    """The interpreter of an environment, which is made if it is not there."""
    folder = ENVIRONMENTS / name
    python = folder / "bin/python"
    if (folder / "complete").exists():
        return python
    print(f"installing {name} into {folder}", file=sys.stderr)
    venv.create(folder, with_pip=True, clear=True)
    install = [python, "-m", "pip", "install", "--quiet"]
    if name in WITHOUT_DEPENDENCIES:
        subprocess.run([*install, "--no-deps", "--ignore-requires-python", WITHOUT_DEPENDENCIES[name]], check=True)
    subprocess.run([*install, "-r", HERE / f"requirements-{name}.txt"], check=True)
    (folder / "complete").touch()
    return python


def claims(command, script):
    """The lines of JSON of a script; one that says so if it ended with an error."""
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"')]
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        found.append(row(script, "failed to run", last))
    return found


def row(script, verdict, measured):
    return {"package": script, "version": "", "checked": "", "claim": "", "verdict": verdict, "measured": measured}


def python_claims(given, wanted):
    for name, scripts in PYTHON.items():
        for script in (s for s in scripts if wanted in s):
            python = given.get(name) or environment(name)
            yield from claims([python, "-B", "-W", "ignore", HERE / f"python/{script}.py"], script)


def r_claims(wanted):
    for script in (s for s in R if wanted in f"r_{s}"):
        try:
            yield from claims(["Rscript", "--vanilla", HERE / f"r/{script}.R"], script)
        except FileNotFoundError:
            yield row(script, "not checked", "no Rscript")


def cell(value):
    return " ".join(str(value).replace("|", "\\|").split())


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("script", nargs="?", default="", help="part of a script's name; those of R begin with r_")
    options.add_argument("--python", action="append", default=[], metavar="NAME=PATH", help="an interpreter")
    asked = options.parse_args()
    given = dict(pair.split("=", 1) for pair in asked.python)
    print("| package | version | checked | claim | verdict | measured |\n|---|---|---|---|---|---|")
    verdicts = {}
    for found in chain(python_claims(given, asked.script), r_claims(asked.script)):
        verdicts[found["verdict"]] = verdicts.get(found["verdict"], 0) + 1
        columns = ("package", "version", "checked", "claim", "verdict", "measured")
        print("| " + " | ".join(cell(found[column]) for column in columns) + " |", flush=True)
    print(f"\n{', '.join(f'{count} {verdict}' for verdict, count in sorted(verdicts.items()))}")
    sys.exit(bool(set(verdicts) - {"holds", "not checked"}) or "holds" not in verdicts)


if __name__ == "__main__":
    main()
