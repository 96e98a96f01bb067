"""The samples of /docs, ready to be run against a service on this machine."""

from gateway.api.reference.samples import ENDINGS, ENDPOINT, FOLDER

APART = {"receiver", "shop", "shop-check"}
"""Programs that are not run by themselves: tests/rules/test_receivers.py, tests/support/whole_shop.py."""


def samples(language: str) -> dict[str, str]:
    """Each program by its name; its endpoint is at an address that needs no look-up."""
    files = sorted(file for file in FOLDER.glob(f"*.{ENDINGS[language]}") if file.stem not in APART)
    return {file.stem: file.read_text().replace(ENDPOINT, "https://1.1.1.1/hooks") for file in files}
