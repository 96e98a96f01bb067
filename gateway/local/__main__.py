"""`python -m gateway.local up` and `python -m gateway.local run-with [--durable] [--offline] -- COMMAND …`."""

import argparse
import os
import signal
import sys

from gateway.local import processes
from gateway.local.errors import LocalError
from gateway.local.offline import leave_the_network
from gateway.local.run_with import run_with
from gateway.local.up import up


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m gateway.local", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    with_servers = commands.add_parser("run-with", help="run a command on servers of its own")
    with_servers.add_argument("--durable", action="store_true", help="wait for the disk, as production does")
    with_servers.add_argument("--offline", action="store_true", help="in a network that has only loopback, if possible")
    with_servers.add_argument("rest", nargs="+", metavar="COMMAND")
    service = commands.add_parser("up", help="run the whole local service until Ctrl-C")
    service.add_argument("--stop-with-parent", action="store_true", help="stop when the parent dies, too")
    service.add_argument("--without", action="append", default=[], help="leave a part out: dispatcher")
    service.add_argument(
        "--reload", action="store_true", help="for developing: new code at once, technical error pages"
    )
    chosen = parser.parse_args()
    try:
        if chosen.command == "up":
            if chosen.stop_with_parent:
                processes.ends_with(os.getppid(), signal.SIGTERM)()
            return up(chosen.without, reload=chosen.reload)
        if chosen.offline and (reason := leave_the_network()):
            print(f"Network: only the guard in the test process keeps tests on this machine, because {reason}.")
        return run_with(chosen.rest, durable=chosen.durable)
    except KeyboardInterrupt:
        return 130
    except (LocalError, OSError) as problem:
        parser.exit(1, f"{problem}\n")


if __name__ == "__main__":
    sys.exit(main())
