"""Tools of other people that read the published contract."""

import subprocess
from pathlib import Path

from django.conf import settings

HERE = Path(__file__).resolve().parents[1] / "clients"


TOOLS = Path(settings.BASE_DIR) / ".tools" / "clients" / "node_modules" / ".bin"


def run(*command: object, cwd: Path) -> str:
    """What a tool printed; its failure fails the test with that."""
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, f"{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
    return done.stdout + done.stderr
