"""A TypeScript client from `openapi-typescript` with default options."""

import json
import re
import shutil
from pathlib import Path

import pytest
from django.conf import settings

from tests.support.tools import HERE, TOOLS, run

STRICT = ("--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2022", "--module", "nodenext")


def order_of_the_readme() -> str:
    """The body of the PIX payment that a newcomer creates first."""
    readme = (Path(settings.BASE_DIR) / "README.md").read_text()
    found = re.search(r"""-d '(\{"method": "PIX".*?)'\n""", readme, re.DOTALL)
    assert found
    body = json.loads(found[1].replace("'$(date +%s)$RANDOM'", "1"))
    assert body["payer"] == {"name": "Maria Silva", "taxId": "52998224725"}
    return json.dumps(body)


@pytest.fixture(scope="module")
def project(published: Path, tools: Path) -> Path:
    """A folder with the generated types, where packages are found."""
    folder = TOOLS.parent.parent / "shop"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    run(tools / "openapi-typescript", published, "-o", folder / "api.d.ts", cwd=folder)
    return folder


def compile_with(project: Path, tools: Path, order: str) -> None:
    text = (HERE / "shop.ts").read_text().replace("body: ORDER", f"body: {order}")
    (project / "shop.ts").write_text(text)
    run(tools / "tsc", *STRICT, "shop.ts", cwd=project)


def test_the_order_of_the_readme_compiles(project: Path, tools: Path) -> None:
    compile_with(project, tools, order_of_the_readme())


def test_an_order_without_a_payer_does_not(project: Path, tools: Path) -> None:
    bent = json.loads(order_of_the_readme())
    del bent["payer"]

    with pytest.raises(AssertionError, match="Property 'payer' is missing"):
        compile_with(project, tools, json.dumps(bent))
