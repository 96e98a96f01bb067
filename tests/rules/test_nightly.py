"""`make nightly` goes on after what fails, and says what was broken, lost and doubled."""

import re
import sys
from pathlib import Path

from gateway.local.home import CHECKOUT
from tests.nightly.parts import PARTS, Part, run
from tests.nightly.table import table

MAKEFILE = """
storm:
\t@{python} -c 'from tests.support.tally import survived; \\
\t\tsurvived("orders", 1200, faults=$(KILLS), note="quiet"); survived("orders", 34, faults=1)'
losing:
\t@{python} -c 'from tests.support.tally import survived; \\
\t\tsurvived("events", 10, faults=2, lost=["evt_1"], doubled="ab")'
silent:
\t@true
"""


def test_a_part_that_fails_does_not_end_the_night_and_is_seen_in_the_table(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text(MAKEFILE.format(python=sys.executable))
    parts = [Part("storm", {"KILLS": "1000"}), Part("losing"), Part("silent")]

    results = list(run(parts, tmp_path, ["make", "-f", tmp_path / "Makefile"], short=False))

    assert [(one.target, one.passed) for one in results] == [("storm", True), ("losing", False), ("silent", True)]
    told = [re.sub(r" +", " ", re.sub(r"\d:\d\d:\d\d", "T", line)).strip() for line in table(results).splitlines()]
    assert told == [
        "part what faults tried lost doubled took",
        "storm orders 1,001 1,234 0 0 T passed",
        "losing events 2 10 1 2 T FAILED",
        "silent – 0 0 0 0 T passed",
        "all 1,003 1,244 1 2 T",
        "",
        "storm, orders: quiet",
    ]


def test_every_part_is_a_target_of_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z]+):(?!=)", (CHECKOUT / "Makefile").read_text(), re.MULTILINE))
    assert [part.target for part in PARTS if part.target not in targets] == []
