"""The packages of the libraries, packed by hatchling and npm, as /docs/libraries offers them."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
PACKED = HERE / "packages"
TOOLS = HERE.parents[1] / ".tools" / "clients" / "node_modules" / ".bin"


def pack_python() -> None:
    """Packs `onpay`; its packages of other versions go."""
    _forget("onpay-[0-9]*")
    _run([sys.executable, "-m", "hatchling", "build", "-d", PACKED], HERE / "python")


def pack_node(version: str) -> None:
    """Packs `@onpay/node` and `@onpay/card-js`; their packages of other versions go."""
    _forget("onpay-node-*", "onpay-card-js-*")
    _pack_npm("node", version, {"esm": ("nodenext", "nodenext"), "cjs": ("commonjs", "node10")})
    types = HERE.parents[1] / "static" / "sdk" / "onpay-card.d.ts"
    shutil.copy(types, HERE / "card-js" / "src")
    _pack_npm("card-js", version, {"": ("es2020", "bundler")})


def _forget(*patterns: str) -> None:
    PACKED.mkdir(exist_ok=True)
    for pattern in patterns:
        for path in PACKED.glob(pattern):
            path.unlink()


def _pack_npm(name: str, version: str, kinds: dict[str, tuple[str, str]]) -> None:
    source = HERE / name
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder)
        for kind, (module, resolution) in kinds.items():
            out = built / "dist" / kind
            options = ["--outDir", out, "--module", module, "--moduleResolution", resolution]
            options += ["--noCheck"] if kind == "cjs" else []  # checked once
            _run([TOOLS / "tsc", "-p", source, *options], source)
            for types in (source / "src").glob("*.d.ts"):
                shutil.copy(types, out)
            if kind == "cjs":
                (out / "package.json").write_text('{ "type": "commonjs" }\n')
        about = json.loads((source / "package.json").read_text()) | {"version": version}
        (built / "package.json").write_text(json.dumps(about, indent=2) + "\n")
        shutil.copy(source / "README.md", built)
        _run(["npm", "pack", "--silent", "--pack-destination", PACKED], built)


def _run(command: Sequence[object], folder: Path) -> None:
    done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
