"""What .env.example and compose.yaml name is what the code reads, no more and no less."""

import re
from pathlib import Path

from tests.support.sources import SOURCES

ROOT = Path(__file__).resolve().parents[2]
READ = re.compile(r'(?:env\.\w+|environ\.get|of_valkey)\(\s*(?:env, )?"([A-Z_]+)"')
OF_COMPOSE = {"POSTGRES_IMAGE", "VALKEY_IMAGE", "NGINX_IMAGE", "ONPAY_VERSION", "ONPAY_SANDBOX_SDK_URL"}
"""Which images, and what the sandbox gets as ONPAY_SDK_URL: nothing that a process of ours reads by this name."""
OF_DATABASES = {
    "ONPAY_DATABASE_PASSWORD",
    *(f"ONPAY_{role}_DATABASE_{part}" for role in ("MIGRATIONS", "ADMIN") for part in ("URL", "PASSWORD")),
    "ONPAY_REPLICA_URL",
    "ONPAY_REPLICA_PASSWORD",
}
"""Put together from their parts in gateway/database/addresses.py."""


def named_in_the_example() -> list[str]:
    return re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)


def read_by_the_code() -> set[str]:
    return {name for path in SOURCES for name in READ.findall(path.read_text())} | OF_DATABASES


def test_the_example_names_every_setting_once_and_no_other() -> None:
    named = named_in_the_example()

    assert len(named) == len(set(named))
    assert set(named) == read_by_the_code() | OF_COMPOSE


def test_the_composition_takes_nothing_that_the_example_does_not_name() -> None:
    text = (ROOT / "compose.yaml").read_text()
    taken = set(re.findall(r"(?<!\$)\$\{([A-Z_]+)", text)) | set(re.findall(r"^ +((?:ONPAY|CELERY)_\w+):", text, re.M))

    assert taken
    assert taken <= set(named_in_the_example())
