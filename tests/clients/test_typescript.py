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


def test_the_order_of_the_readme_compiles_and_one_without_a_payer_does_not(project: Path, tools: Path) -> None:
    shop, order = (HERE / "shop.ts").read_text(), json.loads(order_of_the_readme())
    (project / "shop.ts").write_text(shop.replace("body: ORDER", f"body: {json.dumps(order)}"))
    del order["payer"]
    (project / "bent.ts").write_text(shop.replace("body: ORDER", f"body: {json.dumps(order)}"))

    with pytest.raises(AssertionError) as told:
        run(tools / "tsc", *STRICT, "shop.ts", "bent.ts", cwd=project)

    assert set(re.findall(r"(?m)^(\S+)\(\d+,\d+\): error", str(told.value))) == {"bent.ts"}
    assert "Property 'payer' is missing" in str(told.value)
