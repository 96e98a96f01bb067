"""Valkey, for the limits and the cache: one of it, or a cluster in which each key is on one of several masters.

A request waits for one answer at most, and who gave none is not asked again for a moment. redis-py knows which master
has which key, and follows one that has moved; who has what is asked beside the requests.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, TypeVar
from urllib.parse import urlsplit

import redis
import structlog
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.connection import parse_url
from redis.crc import REDIS_CLUSTER_HASH_SLOTS
from redis.exceptions import ClusterDownError, RedisClusterException
from redis.maint_notifications import MaintNotificationsConfig
from redis.retry import Retry

T = TypeVar("T")
PASSES = redis.ConnectionError, redis.TimeoutError, redis.ReadOnlyError, redis.OutOfMemoryError, ClusterDownError
"""What is raised where Valkey is lost, or another one takes its place, or it is full: the same can succeed soon."""

log = structlog.get_logger()
WAITS_S = 0.5
"""For one answer, and for a connection."""
RESTS_S = 2.0


class Resting(redis.ConnectionError):
    """Nobody was asked: a moment ago there was no answer."""


_one_rests_until: dict[str, float] = {}


def asked(url: str, ask: Callable[[], T]) -> T:
    """What the one Valkey there answers. Raises RedisError."""
    if monotonic() < _one_rests_until.get(url, 0.0):
        raise Resting("it gave no answer a moment ago")
    try:
        return ask()
    except (redis.ConnectionError, redis.TimeoutError):
        _one_rests_until[url] = monotonic() + RESTS_S
        raise


class One(redis.Redis):
    """Its client."""

    def __init__(self, url: str, pool: redis.ConnectionPool) -> None:
        super().__init__(connection_pool=pool)
        self._url = url

    def execute_command(self, *args: Any, **options: Any) -> Any:
        return asked(self._url, partial(super().execute_command, *args, **options))


class Cluster(RedisCluster):
    """The client of a cluster. Raises RedisError, also where the library would raise something else."""

    def __init__(self, url: str) -> None:
        first, *others = _nodes(url)
        self._rests_until: dict[str, float] = {}
        self._asks = Lock()
        none, one_for_each = (Retry(NoBackoff(), times) for times in (0, len(others) + 1))
        super().__init__(
            url=first,
            startup_nodes=[ClusterNode(at["host"], at.get("port", 6379)) for at in map(parse_url, others)],
            dynamic_startup_nodes=False,
            require_full_coverage=False,
            retry=one_for_each,  # it asks any master which commands there are
            maint_notifications_config=MaintNotificationsConfig(enabled=False),
            socket_timeout=WAITS_S,
            socket_connect_timeout=WAITS_S,
        )
        self.set_retry(none)
        self._ask_who_has_what = self.nodes_manager.initialize
        self.nodes_manager.initialize = self._asked_beside  # type: ignore[assignment]

    def is_up(self) -> bool:
        """Whether every master answers, and knows one for every key."""
        told = (self.cluster_info(target_nodes=node) for node in self.get_primaries())
        return all(
            (one["cluster_state"], one["cluster_slots_ok"]) == ("ok", str(REDIS_CLUSTER_HASH_SLOTS)) for one in told
        )

    def execute_command(self, *args: Any, **options: Any) -> Any:
        try:
            return super().execute_command(*args, **options)
        except RedisClusterException as error:  # it is no RedisError
            raise redis.ConnectionError(str(error)) from error

    def _execute_command(self, target_node: ClusterNode, *args: Any, **options: Any) -> Any:
        if monotonic() < self._rests_until.get(target_node.name, 0.0):
            raise Resting(target_node.name)
        try:
            return super()._execute_command(target_node, *args, **options)
        except (redis.ConnectionError, redis.TimeoutError, ClusterDownError) as error:
            gave_none = getattr(error, "connection", target_node)  # another one, if the key has moved
            self._rests_until[f"{gave_none.host}:{gave_none.port}"] = monotonic() + RESTS_S
            raise

    def _asked_beside(self, **options: Any) -> None:
        """The library would have each request wait for this, one after the other."""
        if self._asks.acquire(blocking=False):
            Thread(target=self._asked, kwargs=options, daemon=True).start()

    def _asked(self, **options: Any) -> None:
        try:
            self._ask_who_has_what(**options)
        except (redis.RedisError, RedisClusterException) as error:  # the next request without an answer asks again
            log.warning("valkey.no_node_answers", error=type(error).__name__)
        finally:
            self._asks.release()


def _nodes(url: str) -> list[str]:
    """The address of each node that is named in `redis+cluster://:password@valkey1:6379,valkey2:6379`."""
    parts = urlsplit(url)
    who, at, places = parts.netloc.rpartition("@")
    own = parts._replace(scheme=parts.scheme.removesuffix("+cluster"))
    return [own._replace(netloc=f"{who}{at}{place}").geturl() for place in places.split(",")]


class _Search:
    """Looks for the cluster beside the requests that need it, until a node of it answers."""

    def __init__(self, url: str) -> None:
        self._url, self._found, self._looks = url, Event(), Lock()
        self._rests_until, self._waited_for_until = 0.0, monotonic() + WAITS_S

    def result(self) -> Cluster:
        if not self._found.is_set():
            if monotonic() >= self._rests_until and self._looks.acquire(blocking=False):
                Thread(target=self._look, daemon=True).start()
            if not self._found.wait(max(0.0, self._waited_for_until - monotonic())):
                raise Resting("no node has answered yet")
        return self._cluster

    def _look(self) -> None:
        try:
            self._cluster = Cluster(self._url)
            self._found.set()
        except (redis.RedisError, RedisClusterException) as error:
            log.warning("valkey.no_node_answers", error=type(error).__name__)
        finally:
            self._rests_until = monotonic() + RESTS_S
            self._looks.release()


_search = lru_cache(maxsize=1)(_Search)


def cluster(url: str) -> Cluster:
    """The one client of this process. Raises RedisError while no node has answered yet; the first requests wait for it,
    as long as for an answer.
    """
    return _search(url).result()


class _ClientOfOne(RedisCacheClient):
    def __init__(self, servers: list[str], **options: Any) -> None:
        super().__init__(servers, **options)
        [self._url] = servers
        self._pool = redis.ConnectionPool.from_url(self._url, socket_timeout=WAITS_S, socket_connect_timeout=WAITS_S)

    def get_client(self, key: Any = None, *, write: bool = False) -> One:
        return One(self._url, self._pool)


class OneCache(RedisCache):
    """Django's cache, on one Valkey."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__([server], params)
        self._class = _ClientOfOne


class _ClientOfCluster(RedisCacheClient):
    """Names one key in each command: several may be on several masters."""

    def __init__(self, servers: list[str], **options: Any) -> None:
        super().__init__(servers, **options)
        [self._url] = servers

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        return cluster(self._url)


class ClusterCache(RedisCache):
    """The same on a cluster."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__([server], params)
        self._class = _ClientOfCluster
