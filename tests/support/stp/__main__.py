"""`python -m tests.support.stp FOLDER`: see console.py."""

import os
import sys
from pathlib import Path

import django

os.environ.setdefault("ONPAY_LOCAL", "1")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gateway.settings")
django.setup()

from tests.support.stp.console import main  # noqa: E402

main(Path(sys.argv[1]))
