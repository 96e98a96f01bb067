"""The document as the linters see it that integrators use."""

import json
from pathlib import Path

import pytest

from tests.support.tools import HERE, run


def test_redocly_finds_nothing(published: Path, tools: Path) -> None:
    told = run(tools / "redocly", "lint", published, "--config", HERE / "redocly.yaml", cwd=published.parent)

    assert "Your API description is valid." in told
    assert "warning" not in told.lower().replace("deprecation warning", "")


def test_spectral_finds_nothing(published: Path, tools: Path) -> None:
    run(tools / "spectral", "lint", published, "-r", HERE / "spectral.yaml", "-F", "warn", cwd=published.parent)


def test_a_keyword_that_is_none_is_found(published: Path, tools: Path, tmp_path: Path) -> None:
    """The check can fail."""
    whole = json.loads(published.read_text())
    pagination = whole["components"]["schemas"]["Pagination"]
    pagination["properties"]["pageNumber"]["ge"] = 1
    bent = whole | {"paths": {}, "webhooks": {}, "components": {"schemas": {"Pagination": pagination}}}
    file = tmp_path / "bent.json"
    file.write_text(json.dumps(bent))

    with pytest.raises(AssertionError, match="`ge` is not expected here"):
        run(tools / "redocly", "lint", file, "--config", HERE / "redocly.yaml", cwd=tmp_path)
