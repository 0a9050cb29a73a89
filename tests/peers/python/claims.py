"""Claims about other packages, each a function that fails when the claim is no longer so.

A script declares claims with `@claim` and ends with `report()`, which runs them and prints one line of JSON each:
what is claimed, of which package and version, when it was last checked, whether it holds and what was measured.
"""

import importlib.metadata
import json
import sys
import time
import traceback
import warnings

CLAIMS = []


def claim(package, version, checked, text, departure=None):
    """Registers a check. `departure` is the identifier in `src/_documentation/comparison.md` that it concerns."""

    def register(check):
        CLAIMS.append((package, version, checked, text, departure, check))
        return check

    return register


def outcome(package, version, check):
    """Whether the claim holds, and what the check says."""
    found = importlib.metadata.version(package)
    if found != version:
        return "other version", f"{found} is installed"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return "holds", check() or ""
    except AssertionError as failure:
        return "no longer so", str(failure) or traceback.format_exc(limit=-1).strip().splitlines()[-2].strip()
    except Exception as failure:  # A check that cannot run has shown nothing.
        return "failed to run", f"{type(failure).__name__}: {failure}"


def report():
    """Runs every claim, or those whose text contains the first argument."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    for package, version, checked, text, departure, check in CLAIMS:
        if wanted not in text:
            continue
        start = time.perf_counter()
        verdict, measured = outcome(package, version, check)
        line = {"package": package, "version": version, "checked": checked, "claim": text, "departure": departure}
        line |= {"verdict": verdict, "measured": measured, "seconds": round(time.perf_counter() - start, 1)}
        print(json.dumps(line), flush=True)


def refused(call, *words):
    """Asserts that the call raises an error whose text has all words."""
    try:
        result = call()
    except Exception as error:
        missing = [word for word in words if word.lower() not in str(error).lower()]
        assert not missing, f"the error lacks {missing}: {error}"
        return f"{type(error).__name__}: {str(error)[:80]}"
    raise AssertionError(f"no error, but {type(result).__name__}")
