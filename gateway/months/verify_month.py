"""Verifies the downloaded files of a closed month, offline: python verify_month.py FOLDER [SEAL]

FOLDER holds manifest.json and the files it lists. SEAL is what the dashboard and the e-mail show; without it, compare
the one that is printed. Python 3.8 or later, nothing else.
"""

import hashlib
import json
import sys
from pathlib import Path


def sha256(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        for part in iter(lambda: file.read(1 << 20), b""):
            found.update(part)
    return found.hexdigest()


def read(folder: Path) -> dict:
    """Raises for a manifest that lacks what is asked of it below."""
    manifest: dict = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    whose(manifest)
    return manifest


def whose(manifest: dict) -> str:
    return "Month {month}, {environment}, tax ID {company[taxId]}".format(**manifest)


def faults(folder: Path, seal: "str | None") -> "list[str]":
    written = folder / "manifest.json"
    if not written.is_file():
        return ["manifest.json is missing"]
    changed = seal is not None and sha256(written) != seal.strip().lower()
    found = ["manifest.json is not what was sealed"] if changed else []
    try:
        manifest = read(folder)
        return found + changed_files(folder, manifest["files"]) + wrong_sums(manifest["wallets"])
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return [*found, "manifest.json cannot be read"]


def changed_files(folder: Path, files: "list[dict]") -> "list[str]":
    found = []
    for file in files:
        path = folder / Path(file["name"]).name
        if not path.is_file():
            found.append(file["name"] + " is missing")
        elif path.stat().st_size != file["size"] or sha256(path) != file["sha256"]:
            found.append(file["name"] + " was changed")
    return found


def not_sealed(folder: Path, manifest: dict) -> "list[str]":
    known = {"manifest.json", "verify_month.py"} | {file["name"] for file in manifest["files"]}
    return sorted(path.name for path in folder.iterdir() if path.name not in known)


def wrong_sums(wallets: "dict[str, dict]") -> "list[str]":
    return [
        currency + ": opening and movements are not the ending"
        for currency, wallet in wallets.items()
        if wallet["opening"]["TOTAL"] + sum(line["minor"] for line in wallet["movements"].values())
        != wallet["ending"]["TOTAL"]
    ]


def say(line: str) -> None:
    """Prints one line: a name in the files cannot write another."""
    print("".join(sign if sign.isprintable() else "?" for sign in line))


def main(arguments: "list[str]") -> int:
    if len(arguments) not in (1, 2):
        print(__doc__)
        return 2
    folder, seal = Path(arguments[0]), arguments[1] if len(arguments) == 2 else None
    found = faults(folder, seal)
    for fault in found:
        say("WRONG: " + fault)
    if found:
        return 1
    manifest = read(folder)
    say(whose(manifest))
    if seal is None:
        say("All files are those of manifest.json. Compare its seal with that of the dashboard or the e-mail:")
        say(sha256(folder / "manifest.json"))
    else:
        say("All files are as they were sealed.")
    for name in not_sealed(folder, manifest):
        say("Not part of the sealed month: " + name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
