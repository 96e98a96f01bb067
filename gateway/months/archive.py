"""All files of a sealed month in one archive, written as it is sent."""

from collections.abc import Iterator
from io import RawIOBase
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from gateway.months import selectors
from gateway.months.closing import SCRIPT
from gateway.months.models import Month, MonthFile

MANIFEST = "manifest.json"


class _Passing(RawIOBase):
    """What was written and not yet sent."""

    def __init__(self) -> None:
        self.waiting = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, content: bytes) -> int:  # type: ignore[override]
        self.waiting += content
        return len(content)

    def take(self) -> bytes:
        taken = bytes(self.waiting)
        self.waiting.clear()
        return taken


def zipped(month: Month) -> Iterator[bytes]:
    """A part at a time."""
    passing = _Passing()
    files = [(one.name, selectors.content(one)) for one in MonthFile.objects.filter(month=month).order_by("name")]
    files += [(MANIFEST, iter([month.manifest.encode()])), (SCRIPT.name, iter([SCRIPT.read_bytes()]))]
    with ZipFile(passing, "w", ZIP_DEFLATED) as archive:
        for name, content in files:
            with archive.open(ZipInfo(f"onpay-{month.label}/{name}"), "w", force_zip64=True) as entry:
                for part in content:
                    entry.write(part)
                    yield passing.take()
    yield passing.take()
