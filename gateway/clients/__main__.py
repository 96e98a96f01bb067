"""`make sdk`: generates and packs the libraries; those in JavaScript where their tools are installed."""

import os

import django

from gateway.clients import packages


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gateway.settings")
    django.setup()
    from gateway.clients import build

    build.python()
    if (packages.TOOLS / "tsc").exists():
        build.node()
    for path in sorted(packages.PACKED.iterdir()):
        print(path.name)


main()
