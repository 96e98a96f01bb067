"""A bank's SFTP server on this machine, which can be cut off at any step."""

import os
import socket
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import paramiko


@dataclass
class Faults:
    """What breaks: the name of a step → how often still. A step that `takes_effect` happens before the connection is
    cut.
    """

    cut: dict[str, int] = field(default_factory=dict)
    takes_effect: bool = False
    steps: list[str] = field(default_factory=list)
    picks_up: bool = False
    """The bank takes a file away as soon as it is there."""


class _Handle(paramiko.SFTPHandle):
    folder: "_Folder"

    def write(self, offset: int, data: bytes) -> int:
        if self.folder.breaks("write"):
            return paramiko.SFTP_FAILURE
        found: int = super().write(offset, data)
        return found


class _Folder(paramiko.SFTPServerInterface):
    def __init__(self, server: "_Server", *args: Any, **options: Any) -> None:
        super().__init__(server)
        self.bank, self.transport = server.bank, server.transport

    def breaks(self, step: str) -> bool:
        faults = self.bank.faults
        faults.steps.append(step)
        if faults.cut.get(step, 0) < 1:
            return False
        faults.cut[step] -= 1
        self.transport.close()
        return True

    def _real(self, path: str) -> Path:
        return self.bank.root / path.lstrip("/")

    def list_folder(self, path: str) -> Any:
        found = []
        for one in sorted(self._real(path).iterdir()):
            attributes = paramiko.SFTPAttributes.from_stat(one.stat())
            attributes.filename = os.fsencode(one.name)  # type: ignore[assignment]
            found.append(attributes)
        return found

    def stat(self, path: str) -> Any:
        if self.breaks("stat"):
            return paramiko.SFTP_FAILURE
        try:
            return paramiko.SFTPAttributes.from_stat(self._real(path).stat())
        except FileNotFoundError:
            return paramiko.SFTP_NO_SUCH_FILE

    lstat = stat

    def open(self, path: str, flags: int, attr: Any) -> Any:
        if self.breaks("open"):
            return paramiko.SFTP_FAILURE
        if self.bank.goes == self._real(path):
            self.bank.goes.unlink()
            return paramiko.SFTP_NO_SUCH_FILE
        if self.bank.grows == self._real(path):
            self._real(path).write_bytes(self._real(path).read_bytes() + b" ")
        handle = _Handle(flags)
        handle.folder = self
        descriptor = os.open(self._real(path), flags | getattr(os, "O_BINARY", 0), 0o600)
        file = os.fdopen(descriptor, "wb" if flags & os.O_WRONLY else "rb")
        handle.filename, handle.readfile, handle.writefile = path, file, file  # type: ignore[attr-defined]
        return handle

    def rename(self, oldpath: str, newpath: str) -> int:
        if not self.bank.faults.takes_effect and self.breaks("rename"):
            return paramiko.SFTP_FAILURE
        if self._real(newpath).exists() or not self._real(oldpath).exists():
            return paramiko.SFTP_FAILURE
        os.rename(self._real(oldpath), self._real(newpath))
        if self.bank.faults.picks_up:
            self.bank.taken.append(self._real(newpath).read_bytes())
            self._real(newpath).unlink()
        if self.bank.faults.takes_effect:
            self.breaks("rename")
        return paramiko.SFTP_OK


class _Server(paramiko.ServerInterface):
    def __init__(self, bank: "SftpBank", transport: paramiko.Transport) -> None:
        self.bank, self.transport = bank, transport

    def get_allowed_auths(self, username: str) -> str:
        return "publickey,password"

    def check_auth_password(self, username: str, password: str) -> int:
        is_right = (username, password) == (self.bank.user, self.bank.password)
        return paramiko.AUTH_SUCCESSFUL if is_right else paramiko.AUTH_FAILED

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return paramiko.OPEN_SUCCEEDED


class SftpBank:
    """Serves a folder until it is closed. `host_key` is what an account pins."""

    user, password = "onpay", "the bank's own password"

    def __init__(self, root: Path) -> None:
        self.root, self.faults = root, Faults()
        self.taken: list[bytes] = []
        self.goes: Path | None = None
        """A file that is gone when it is opened."""
        self.grows: Path | None = None
        """A file that gets longer whenever it is opened."""
        for name in ("out", "in"):
            (root / name).mkdir()
        self._key = paramiko.ECDSAKey.generate()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def host_key(self) -> str:
        return f"{self._key.get_name()} {self._key.get_base64()}"

    @property
    def credentials(self) -> dict[str, Any]:
        return {
            "sftp_host": "127.0.0.1", "sftp_port": self.port, "sftp_user": self.user, "sftp_password": self.password,
            "sftp_host_key": self.host_key, "sftp_folder_out": "out", "sftp_folder_in": "in",
        }  # fmt: skip

    def files(self) -> dict[str, bytes]:
        """What is in the folder for our files."""
        return {one.name: one.read_bytes() for one in sorted((self.root / "out").iterdir())}

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            transport = paramiko.Transport(connection)
            transport.add_server_key(self._key)
            transport.set_subsystem_handler("sftp", paramiko.SFTPServer, _Folder)
            try:
                transport.start_server(server=_Server(self, transport))
            except (paramiko.SSHException, EOFError):
                transport.close()

    def close(self) -> None:
        self._listener.close()
