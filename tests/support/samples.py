"""The samples of /docs, ready to be run against a service on this machine."""

from gateway.api.reference.samples import ENDINGS, ENDPOINT, FOLDER

LIBRARIES_APART = {"receiver"}
"""Samples without a library: `tests/rules/test_receivers.py` runs them."""


def samples(language: str) -> dict[str, str]:
    """Each program by its name; its endpoint is at an address that needs no look-up."""
    files = sorted(file for file in FOLDER.glob(f"*.{ENDINGS[language]}") if file.stem not in LIBRARIES_APART)
    return {file.stem: file.read_text().replace(ENDPOINT, "https://1.1.1.1/hooks") for file in files}
