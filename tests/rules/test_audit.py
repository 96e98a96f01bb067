"""The audit of what we are built from fails on a known hole, and only on one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOLE = {"id": "CVE-2026-0001", "fix_versions": ["5.2.99"], "aliases": [], "description": ""}


def audited(tmp_path: Path, stand_in: str) -> tuple[int, str]:
    """What .ci/audit says when pip-audit does what the stand-in does."""
    (tmp_path / "pip_audit.py").write_text(stand_in)
    done = subprocess.run(
        [sys.executable, ".ci/audit"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def answer(*holes: object) -> str:
    told = json.dumps({"dependencies": [{"name": "django", "version": "5.2.1", "vulns": list(holes)}], "fixes": []})
    return f"import sys\nprint({told!r})\nsys.exit({int(bool(holes))})"


def test_a_known_hole_fails_and_is_named(tmp_path: Path) -> None:
    code, told = audited(tmp_path, answer(HOLE))

    assert code == 1
    assert "django 5.2.1: CVE-2026-0001, mended in 5.2.99" in told


def test_nothing_known_passes(tmp_path: Path) -> None:
    assert audited(tmp_path, answer()) == (0, "audited: requirements.txt, 0 known holes\n")


@pytest.mark.parametrize("failing", ["raise ConnectionError('no route')", "import sys; sys.exit(2)"])
def test_a_list_that_is_out_of_reach_is_said_and_stops_nobody(tmp_path: Path, failing: str) -> None:
    code, told = audited(tmp_path, failing)

    assert code == 0
    assert told.startswith("not audited: requirements.txt")
