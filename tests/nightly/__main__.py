"""`make nightly`: PARTS='faults model' chooses parts, SHORT=1 takes the short form of each."""

import os
import sys

from gateway.local import home
from tests.nightly.parts import PARTS, run
from tests.nightly.table import table


def main() -> None:
    wanted = os.environ.get("PARTS", "").split() or [part.target for part in PARTS]
    if unknown := {*wanted} - {part.target for part in PARTS}:
        sys.exit(f"There is no part {', '.join(sorted(unknown))}.")
    place, held = home.claim("nightly")
    chosen = [part for part in PARTS if part.target in wanted]
    results = []
    with held:
        try:
            for result in run(chosen, place, [os.environ.get("MAKE", "make")], short=bool(os.environ.get("SHORT"))):
                results.append(result)
        finally:
            (place / "table.txt").write_text(f"{table(results)}\n")
            print(f"\n{table(results)}", flush=True)
    if not all(one.passed for one in results):
        sys.exit(1)


if __name__ == "__main__":
    main()
