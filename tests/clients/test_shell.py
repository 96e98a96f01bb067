"""The commands of /docs, as they are pasted into a shell."""

import shutil
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from tests.support.companies import Shop
from tests.support.samples import samples
from tests.support.tools import run

PRELUDE = r"""
set -euo pipefail
command -v uuidgen >/dev/null || uuidgen() { cat /proc/sys/kernel/random/uuid; }
curl() {
  answer=$(command curl --fail-with-body "$@") || { echo "$* $answer" >&2; return 1; }
  ID=$(printf '%s' "$answer" | sed -n 's/.*"data":{"id":"\([a-z]*_[0-9A-Z]*\)".*/\1/p')
  printf '%s\n' "$answer"
}
"""
"""`curl` fails where the service refuses, and `ID` is what it has made."""


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_every_command_of_the_guides_works(acme: Shop, live_server: LiveServer, tmp_path: Path) -> None:
    acme.company.withdrawal_ip = "127.0.0.1"
    acme.company.save()
    known = {"ONPAY_API_KEY": acme.sandbox_key, "ONPAY_BASE_URL": live_server.url, "COMPANY": acme.company.id}
    found = samples("sh")
    assert len(found) > 5
    for name, commands in found.items():
        (tmp_path / f"{name}.sh").write_text(PRELUDE + commands)
        with pytest.MonkeyPatch.context() as patch:
            for variable, value in known.items():
                patch.setenv(variable, value)
            said = run("bash", f"{name}.sh", cwd=tmp_path)
        assert '"success":true' in said
        assert '"success":false' not in said
