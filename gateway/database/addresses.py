"""Database URLs and roles from the environment. A password may be a setting of its own, unescaped."""

from typing import Any
from urllib.parse import quote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from environ import Env

from gateway.database.limits import Limits

SERVING, OWNING, ADMINISTERING, REPLICA = "DATABASE", "MIGRATIONS_DATABASE", "ADMIN_DATABASE", "REPLICA"
CLUSTERS = ("redis+cluster://", "rediss+cluster://")
"""How addresses begin that name nodes of a cluster of Valkey, with commas between them."""
LOCALHOST = "postgres://postgres@localhost:5432/onpay"


def has_pooler(env: Env) -> bool:
    """Whether the service role is led through a pooler in transaction mode. `true` was its name in 0.2.0."""
    given = env.str("ONPAY_DB_POOLER", default="").lower()
    if given not in ("", "false", "true", "transaction"):
        raise ImproperlyConfigured("ONPAY_DB_POOLER is `transaction`, or empty without a pooler.")
    return given in ("true", "transaction")


def serving(env: Env, limits: Limits) -> dict[str, Any]:
    """The URL of the service role, with a pool."""
    return _pooled(env, SERVING, env.str("DATABASE_URL", default=LOCALHOST), limits)


def replica(env: Env, limits: Limits) -> dict[str, dict[str, Any]]:
    """That of a replica of it, under its name and with a pool of its own; nothing where there is none.

    Its roles are those of the primary, so without a password of its own it gets the one of the service.
    """
    if not (url := env.str(f"ONPAY_{REPLICA}_URL", default="")):
        return {}
    found = _pooled(env, REPLICA, url, limits)
    password = found["PASSWORD"] or serving(env, limits)["PASSWORD"]
    return {REPLICA.lower(): found | {"PASSWORD": password, "TEST": {"MIRROR": "default"}}}


RECONNECTS_FOR_S = 1.0
"""Then the next request tries it. An attempt that goes on waits twice as long each time, and all of them may wait when
the database comes back: as long again as it was away.
"""


def _pooled(env: Env, name: str, url: str, limits: Limits) -> dict[str, Any]:
    found = _named(env, name, url, limits)
    pool = {
        "min_size": 1,
        "max_size": env.int("ONPAY_DB_POOL_SIZE", default=8),
        "timeout": 2,
        "reconnect_timeout": RECONNECTS_FOR_S,
    }
    health = env.bool("ONPAY_DB_HEALTH_CHECKS", default=True)
    return found | {
        "ENGINE": "gateway.database.postgresql",
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": health,
        "OPTIONS": found["OPTIONS"] | {"pool": pool},
    }


def command_database(env: Env, name: str, limits: Limits) -> dict[str, Any]:
    """The URL of one command: owner or administrator. Empty if it is not set."""
    url = env.str(f"ONPAY_{name}_URL", default="")
    return _named(env, name, url, limits) if url else {}


def _named(env: Env, name: str, url: str, limits: Limits) -> dict[str, Any]:
    found: dict[str, Any] = env.db_url_config(url)
    found["PASSWORD"] = env.str(f"ONPAY_{name}_PASSWORD", default="") or found["PASSWORD"]
    # A transaction pooler keeps neither prepared statements nor session settings: the time-outs are the role's own.
    pooled = name in (SERVING, REPLICA) and has_pooler(env)
    prepared = 0 if pooled else env.int("ONPAY_DB_PREPARE_THRESHOLD", default=5)
    found["DISABLE_SERVER_SIDE_CURSORS"] = pooled
    found["OPTIONS"] = {
        **found.get("OPTIONS", {}),
        "connect_timeout": 3,
        "tcp_user_timeout": 10_000,
        "server_side_binding": True,
        "prepare_threshold": prepared or None,
        "options": "" if pooled else limits.as_options(),
    }
    return found


def of_valkey(env: Env, name: str, default: str) -> str:
    """A URL without a password gets the configured one."""
    url: str = env.str(name, default=default)
    password: str = env.str("ONPAY_VALKEY_PASSWORD", default="")
    parts = urlsplit(url)
    if not password or "@" in parts.netloc or not url.startswith(("redis://", "rediss://", *CLUSTERS)):
        return url
    netloc = f":{quote(password, safe='')}@{parts.netloc}"
    return parts._replace(netloc=netloc).geturl()


def cache(url: str) -> dict[str, Any]:
    """Django's cache in the Valkey or Redis of this address, or in a cluster of them."""
    if url.startswith(CLUSTERS):
        if urlsplit(url).path:
            raise ImproperlyConfigured("ONPAY_CACHE_URL: a cluster has no databases, so nothing follows its nodes.")
        return {"BACKEND": "gateway.valkey.ClusterCache", "LOCATION": url}
    if not url.startswith(("redis://", "rediss://", "unix://")):
        raise ImproperlyConfigured("ONPAY_CACHE_URL is the address of a Valkey or Redis.")
    return {"BACKEND": "gateway.valkey.OneCache", "LOCATION": url}
