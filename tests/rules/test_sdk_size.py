"""What a shop's page loads for cards stays small: production costs the sandbox nothing, and the script at most 10 %."""

import gzip

import pytest

from gateway.providers import scripts
from gateway.providers.browsers import browsers

LARGEST = (26_821, 8_169)
"""Bytes of the script as it is served, plain and packed: those of version 2.0.1, which had no adapters, plus 10 %."""
LARGEST_ADAPTER = (22_000, 7_300)


def size(script: bytes) -> tuple[int, int]:
    return len(script), len(gzip.compress(script, mtime=0))


def fits(script: bytes, largest: tuple[int, int]) -> bool:
    return all(is_ <= most for is_, most in zip(size(script), largest, strict=True))


def test_the_script_is_small() -> None:
    assert fits(scripts.source(), LARGEST), size(scripts.source())


@pytest.mark.parametrize("acquirer", sorted(browsers()))
def test_an_adapter_is_small_and_the_script_names_its_integrity(acquirer: str) -> None:
    adapter = scripts.adapter(acquirer)

    assert adapter is not None
    assert fits(adapter, LARGEST_ADAPTER), size(adapter)
    assert f'"{acquirer}":"{scripts.integrity_of(adapter)}"' in scripts.source().decode()
