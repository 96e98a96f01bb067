"""The adapters of acquirers' fields against the types that the acquirers publish of their libraries for browsers."""

import shutil
from pathlib import Path

from gateway.providers import scripts
from gateway.providers.browsers import browsers
from tests.support.tools import TOOLS, run

LIBRARIES = """import type * as Adyen from "@adyen/adyen-web";
declare global {
  interface Window { AdyenWeb: typeof Adyen }
}
export {};
"""
"""What Adyen's script gives a page; Stripe's package says that itself."""
CHECK = (
    "--noEmit", "--allowJs", "--checkJs", "--skipLibCheck", "--target", "es2022", "--lib", "es2023,dom,dom.iterable",
    "--module", "esnext", "--moduleResolution", "bundler", "--types", "@stripe/stripe-js",
)  # fmt: skip


def test_adapters_use_the_libraries_as_published(tools: Path) -> None:
    folder = TOOLS.parent.parent / "adapters"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "libraries.d.ts").write_text(LIBRARIES)
    for acquirer in browsers():
        (folder / f"{acquirer}.js").write_bytes(scripts.adapter(acquirer) or b"")

    run(tools / "tsc", *CHECK, "libraries.d.ts", *(f"{acquirer}.js" for acquirer in browsers()), cwd=folder)
