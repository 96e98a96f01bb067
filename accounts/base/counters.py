"""What each process counts. `manage.py serve_metrics` adds up the processes of a host.

Times are in seconds. Labels have few values, which the code knows: no ids, addresses or names of companies.
"""

import os
import platform
from pathlib import Path

# A container has process ids of its own, and so a folder. The library looks for it when it is imported.
if shared := os.environ.get("ONPAY_METRICS_DIR"):
    own = Path(shared, platform.node())
    own.mkdir(parents=True, exist_ok=True)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(own)

from prometheus_client import Counter, Gauge, Histogram

OF_A_REQUEST = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
OF_A_CALL = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

REQUESTS = Counter("onpay_requests", "Requests by the pattern of their path, and status", ("method", "route", "status"))
REQUEST_SECONDS = Histogram(
    "onpay_request_seconds", "Time from a complete request to its response", ("method", "route"), buckets=OF_A_REQUEST
)
PROVIDER_SECONDS = Histogram(
    "onpay_provider_call_seconds",
    "Calls to providers: answered, not_sent, or unclear if the provider may have acted",
    ("provider", "outcome"),
    buckets=OF_A_CALL,
)
WEBHOOK_SECONDS = Histogram(
    "onpay_webhook_attempt_seconds",
    "Attempts to deliver webhooks: accepted or refused",
    ("outcome",),
    buckets=OF_A_CALL,
)
TASK_SECONDS = Histogram(
    "onpay_task_seconds",
    "Runs of scheduled tasks, by the state in which they ended",
    ("task", "state"),
    buckets=OF_A_CALL,
)
POOL_CONNECTIONS = Gauge(
    "onpay_pool_connections",
    "Connections of the database pools of all processes, by whether a request has them",
    ("state",),
    multiprocess_mode="livesum",
)
POOL_WAITS = Counter("onpay_pool_waits", "Requests that had to wait for a connection of the pool")
POOL_WAIT_SECONDS = Counter("onpay_pool_wait_seconds", "How long they waited together")
POOL_TIMEOUTS = Counter("onpay_pool_timeouts", "Requests that waited in vain")
REPLICA_READS = Counter("onpay_replica_reads", "Reads that a replica may answer, by what answered", ("answered",))
LOG_LINES = Counter("onpay_log_lines", "Log lines of level warning or above", ("level",))
