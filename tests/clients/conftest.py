"""The published document as a file, and the tools of other people that read it: `make clients` installs them."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gateway.api.openapi.document import document
from tests.support.tools import TOOLS


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest begins first, so that no process waits for it alone."""
    items.sort(
        key=lambda item: item.path.stem not in ("test_linters", "test_old_clients", "test_python", "test_typescript")
    )


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The document as it is served, under production addresses: linters refuse to see localhost published."""
    file = tmp_path_factory.mktemp("contract") / "openapi.json"
    servers = [{"url": "https://api.gateway.test"}, {"url": "https://sandbox.gateway.test"}]
    file.write_text(json.dumps(document() | {"servers": servers}, default=float))
    return file


@pytest.fixture(scope="session")
def tools() -> Path:
    """The folder of the JavaScript tools."""
    node = shutil.which("node")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout if node else ""
    if int((re.match(r"v(\d+)", version) or ["", "0"])[1]) < 20:
        pytest.skip("needs Node.js 20 or newer")
    assert (TOOLS / "redocly").exists(), "make clients installs the tools"
    return TOOLS
