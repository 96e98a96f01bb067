"""What axe finds wrong on a page, of any weight. https://github.com/dequelabs/axe-core"""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SOURCE = Path(__file__).parents[1] / "browser" / "vendor" / "axe.js"
RUN = "() => axe.run(document, { resultTypes: ['violations'] })"


def faults_of(page: Page) -> list[str]:
    page.wait_for_load_state()  # a click ends when the next page begins
    page.evaluate(SOURCE.read_text())
    found: Any = page.evaluate(RUN)
    return [f"{fault['id']}: {node['html'][:160]}" for fault in found["violations"] for node in fault["nodes"][:3]]
