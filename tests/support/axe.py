"""What axe finds serious on a page. https://github.com/dequelabs/axe-core"""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SOURCE = Path(__file__).parents[1] / "browser" / "vendor" / "axe.js"
SERIOUS = "critical", "serious"


def faults_of(page: Page) -> list[str]:
    page.evaluate(SOURCE.read_text())
    found: Any = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{fault['id']}: {node['html'][:160]}"
        for fault in found["violations"]
        if fault["impact"] in SERIOUS
        for node in fault["nodes"][:3]
    ]
