"""What axe finds serious on a page. https://github.com/dequelabs/axe-core"""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SOURCE = Path(__file__).parents[1] / "browser" / "vendor" / "axe.js"
RUN = """() => {
  const slight = axe._audit.rules.filter(({ impact }) => !["critical", "serious"].includes(impact));
  const rules = Object.fromEntries(slight.map(({ id }) => [id, { enabled: false }]));
  return axe.run(document, { rules, resultTypes: ["violations"] });
}"""
"""The rules whose impact is less take a third of the time."""


def faults_of(page: Page) -> list[str]:
    page.evaluate(SOURCE.read_text())
    found: Any = page.evaluate(RUN)
    return [f"{fault['id']}: {node['html'][:160]}" for fault in found["violations"] for node in fault["nodes"][:3]]
