"""Recomputes scores on chain from their replays with examples/verifier of the repository, which imports no other code of it."""

import runpy
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().with_name("verifier")


def main():
    sys.path.insert(0, str(FOLDER))
    runpy.run_path(str(FOLDER / "verify.py"), run_name="__main__")


if __name__ == "__main__":
    main()
