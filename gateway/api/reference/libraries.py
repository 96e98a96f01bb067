"""The client libraries that `make sdk` packed, as /docs/libraries offers them."""

import hashlib
import re
import tarfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zipfile import ZipFile

from django.conf import settings

PACKED = Path(settings.BASE_DIR) / "gateway" / "clients" / "packages"
TITLES = {
    "onpay": "Python 3.9 or newer",
    "onpay-node": "Node.js 18 or newer, TypeScript",
    "onpay-card-js": "card fields in the browser, TypeScript",
}
_NAME = re.compile(r"(onpay(?:-node|-card-js)?)-(\d[\w.]*?)(?:-py3-none-any\.whl|\.tar\.gz|\.tgz)")


@dataclass(frozen=True, slots=True)
class Package:
    """A file that can be installed as it is."""

    path: Path
    library: str
    version: str

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def about(self) -> str:
        return TITLES[self.library]

    @property
    def sha256(self) -> str:
        return _sha256(self.path, self.path.stat().st_mtime_ns)

    @property
    def readme(self) -> str:
        """How to use it; empty for sources."""
        return _readme(self.path, self.path.stat().st_mtime_ns)

    @property
    def install(self) -> str:
        address = f"{settings.BASE_URL}/docs/libraries/{self.name}"
        return f'pip install "{address}#sha256={self.sha256}"' if self.library == "onpay" else f"npm install {address}"


def offered() -> list[Package]:
    """What was packed, in the order of the page; nothing where the service was built without it."""
    found = [(path, _NAME.fullmatch(path.name)) for path in PACKED.glob("onpay-*")]
    packages = [Package(path, matched[1], matched[2]) for path, matched in found if matched]
    return sorted(packages, key=lambda one: (list(TITLES).index(one.library), not one.name.endswith(".whl")))


@cache
def _sha256(path: Path, changed: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def _readme(path: Path, changed: int) -> str:
    if path.suffix == ".whl":
        with ZipFile(path) as wheel:
            [about] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
            return wheel.read(about).decode().partition("\n\n")[2]
    if path.suffix == ".tgz":
        with tarfile.open(path) as package:
            readme = package.extractfile("package/README.md")
            return readme.read().decode() if readme else ""
    return ""
