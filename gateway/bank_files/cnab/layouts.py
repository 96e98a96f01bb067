"""The layouts and dialects, as the TOML files in `data` say them."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from gateway.bank_files.cnab.records import KINDS, Field, Record

_FOLDER = Path(__file__).parent / "data"


@cache
def data(name: str) -> dict[str, Any]:
    """A file of `data`."""
    with (_FOLDER / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


def has(name: str) -> bool:
    return (_FOLDER / f"{name}.toml").exists()


def record(width: int, *layers: Mapping[str, Any]) -> Record:
    """A line with the fields of all layers; a later layer replaces a field of the same name, or drops it (`[]`)."""
    merged: dict[str, list[Any]] = {}
    for layer in layers:
        merged |= layer
    fields = tuple(_field(name, place, width) for name, place in merged.items() if place)
    return Record(width, fields)


def _field(name: str, place: list[Any], width: int) -> Field:
    start, end, kind = place[:3]
    assert 1 <= start <= end <= width and kind in KINDS, name
    return Field(name, start, end, kind, *place[3:])
