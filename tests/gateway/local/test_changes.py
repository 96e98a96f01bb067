"""`make dev` starts the code again when it has changed, and only then."""

import os
from pathlib import Path

import pytest

from gateway.local.changes import Changes
from gateway.local.errors import LocalError
from gateway.local.up import up


@pytest.fixture
def code(tmp_path: Path) -> Path:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "prices.py").write_text("FEE = 1\n")
    return tmp_path


def test_nothing_has_changed_at_first(code: Path) -> None:
    assert not Changes([code]).any()


def test_a_saved_file_is_seen_once(code: Path) -> None:
    changes = Changes([code])
    os.utime(code / "inner" / "prices.py", ns=(1, 1))

    assert changes.any()
    assert not changes.any()


def test_new_files_and_those_that_are_gone_are_seen(code: Path) -> None:
    changes = Changes([code])
    (code / "limits.py").write_text("")
    assert changes.any()

    (code / "inner" / "prices.py").unlink()
    assert changes.any()


def test_what_is_read_for_each_request_starts_nothing(code: Path) -> None:
    changes = Changes([code])
    (code / "page.html").write_text("")
    (code / "style.css").write_text("")

    assert not changes.any()


def test_pages_that_show_the_code_are_not_served_to_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONPAY_HOST", "0.0.0.0")
    monkeypatch.setenv("ONPAY_HOME", str(tmp_path))

    with pytest.raises(LocalError, match="this machine alone"):
        up(reload=True)
    assert list(tmp_path.iterdir()) == []
