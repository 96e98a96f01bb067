"""`@onpay/node` and `@onpay/card-js` as they are packed: types that guide, and a shop against a running service."""

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from pytest_django.live_server_helper import LiveServer

from gateway.api.reference.samples import FOLDER
from gateway.clients import build, packages
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.flaky_front import flaky_front
from tests.support.samples import samples
from tests.support.tools import HERE, TOOLS, run
from tests.support.whole_shop import graded

STRICT = ("--strict", "--exactOptionalPropertyTypes", "--target", "es2022", "--module", "nodenext", "--skipLibCheck")


def order_of_the_readme() -> dict[str, Any]:
    """The PIX payment that a newcomer creates first, with an amount as the library wants it."""
    readme = (Path(settings.BASE_DIR) / "README.md").read_text()
    found = re.search(r"""-d '(\{"method": "PIX".*?)'\n""", readme, re.DOTALL)
    assert found
    body: dict[str, Any] = json.loads(found[1].replace("'$(date +%s)$RANDOM'", "1"))
    assert body["payer"] == {"name": "Maria Silva", "taxId": "52998224725"}
    return body | {"amount": "150.00"}


def quickstart() -> str:
    found = re.search(r"```ts\n(.*?)```", (packages.HERE / "node" / "README.md").read_text(), re.DOTALL)
    assert found
    return found[1]


@pytest.fixture(scope="module")
def shop(tools: Path) -> Path:
    """A folder where the packages are installed, with a shop, the quickstart and the samples, compiled."""
    build.node()
    folder = TOOLS.parent.parent / "shop"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "node_modules" / "@onpay").mkdir(parents=True)
    for name in ("node", "card-js"):
        [package] = packages.PACKED.glob(f"onpay-{name}-*.tgz")
        run("tar", "-xzf", package, cwd=folder)
        shutil.move(folder / "package", folder / "node_modules" / "@onpay" / name)
    (folder / "package.json").write_text('{ "type": "module" }\n')
    order, source = order_of_the_readme(), (HERE / "shop.ts").read_text()
    (folder / "shop.ts").write_text(source.replace("ORDER;", f"{json.dumps(order)} as const;"))
    del order["payer"]
    (folder / "bent.ts").write_text(source.replace("ORDER;", f"{json.dumps(order)} as const;"))
    (folder / "quickstart.ts").write_text(quickstart())
    (folder / "fields.ts").write_text(
        'import { loadOnpayCard } from "@onpay/card-js";\n'
        'const elements = (await loadOnpayCard("https://sdk.gateway.test/x.js")).elements({ clientSecret: "x" });\n'
        'export const number = elements.create("cardNumber").mount("#number");\n'
    )
    for name, program in samples("ts").items():
        (folder / f"sample-{name}.ts").write_text(program)
    for name in ("shop", "shop-check"):
        shutil.copy(FOLDER / f"{name}.ts", folder / f"sample-{name}.ts")
    (folder / "old.cjs").write_text('console.log(typeof require("@onpay/node").Onpay);\n')
    with pytest.raises(AssertionError) as told:
        run(tools / "tsc", *STRICT, *(file.name for file in folder.glob("*.ts")), cwd=folder)
    assert set(re.findall(r"(?m)^(\S+)\(\d+,\d+\): error", str(told.value))) == {"bent.ts"}
    assert "Property 'payer' is missing" in str(told.value)
    return folder


@pytest.mark.django_db(transaction=True)
def test_a_shop_in_typescript(acme: Shop, shop: Path, live_server: LiveServer) -> None:
    acme.company.withdrawal_ip = "127.0.0.1"
    acme.company.save()
    with flaky_front(live_server.url) as front, pytest.MonkeyPatch.context() as patch:
        for name, value in (("ONPAY_API_KEY", acme.sandbox_key), ("ONPAY_BASE_URL", live_server.url)):
            patch.setenv(name, value)
        patch.setenv("COMPANY", acme.company.id)
        patch.setenv("FRONT", front.url)
        said = json.loads(run("node", "shop.js", "run", cwd=shop))
        first = run("node", "quickstart.js", cwd=shop)
        for name in samples("ts"):
            run("node", f"sample-{name}.js", cwd=shop)

    assert said["paid"] == ["PAID", "148.50"]
    assert said["refund"] == ["PROCESSING", "50.00"]
    assert said["rehearsed"] is True
    assert said["references"] == ["page-2", "page-1", "page-0"]
    assert said["balance"] == ["98.50"]
    assert said["twice"] == ["ONP409_DUPLICATE_REFERENCE", True, "ONP409_DUPLICATE_REFERENCE"]
    assert (said["pdf"], said["secret"]) == ("%PDF", False)
    assert (said["later"], said["found"]) == (30, "lost-2")
    assert (said["removed"], said["missed"]) == (True, "NotFound")
    assert said["float"] == 'TypeError: amount must be a decimal string such as "150.00"'
    assert said["refused"] == ["SignatureError"] * 5
    (is_retryable, until_a_moment), *waits = said["waits"]
    assert is_retryable and 19 - said["lasted"] <= until_a_moment <= 20
    assert waits == [[True, None], [True, 7], [True, None], [True, None]]
    assert (said["left"], said["wrong"]) == (["left", 0], ["TypeError"] * 4)
    assert said["released"] == ["order-1 0.10"] * 2
    for reference in ("lost-1", "busy-1", "down-1", "begun-1", "lost-2"):
        assert [len(front.keys_of(reference)), len(set(front.keys_of(reference)))] == [2, 1]
    assert "PAID 148.50\norder-1043 150.00" in first
    assert run("node", "old.cjs", cwd=shop).strip() == "function"
    assert os.listdir(shop / "node_modules") == ["@onpay"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("request_log")
def test_the_shop_of_the_guides_gets_an_a(api: Api, shop: Path, live_server: LiveServer, settings: Any) -> None:
    settings.LOCAL = True
    sold_by, check = (["node", f"sample-{name}.js"] for name in ("shop", "shop-check"))

    assert graded(api, live_server.url, sold_by, check, shop) == "grade A 20"
