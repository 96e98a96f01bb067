"""The folder of a bank, reached by SFTP. The host is the one whose key two people entered, or nobody."""

import base64
import io
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Annotated, Any

import paramiko
import structlog
from django.conf import settings
from django.utils.translation import gettext, gettext_noop
from pydantic import AfterValidator, Field, SecretStr, StringConstraints, model_validator

from gateway.providers.certificates import Pem
from gateway.providers.errors import NotConnected, NotSent, Unclear
from gateway.providers.fields import checked
from gateway.providers.provider import Credentials

_FAILURES = (paramiko.SSHException, paramiko.SFTPError, OSError, EOFError, UnicodeDecodeError)
LONGEST_FILE, MOST_FILES = 50_000_000, 500
UNFINISHED = (".part", ".tmp", ".filepart")
log = structlog.get_logger()
_HOST = re.compile(r"[A-Za-z0-9.:-]{1,255}")
_HOST_KEY = re.compile(r"(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)) [A-Za-z0-9+/]+={0,2}")


def _host_key(text: str) -> str:
    text = " ".join(text.split()[:2])
    if text and not (_HOST_KEY.fullmatch(text) and _is_key(*text.split())):
        raise ValueError(gettext("Must be a host key such as `ssh-ed25519 AAAA…`."))
    return text


def _is_key(kind: str, encoded: str) -> bool:
    try:
        paramiko.PKey.from_type_string(kind, base64.b64decode(encoded))
    except (paramiko.SSHException, ValueError):
        return False
    return True


def _folder(text: str) -> str:
    if ".." in text.split("/"):
        raise ValueError(gettext("Must be a path without `..`."))
    return text.rstrip("/") or text


Path = Annotated[str, AfterValidator(_folder), StringConstraints(max_length=200)]


class SftpFields(Credentials):
    """How the folder is reached, where there is one."""

    sftp_host: Annotated[
        str,
        checked(_HOST.fullmatch, gettext_noop("Must be the name or the address of a host.")),
        Field(title="SFTP host", description="Empty: people download the files"),
    ] = ""
    sftp_port: Annotated[int, Field(ge=1, le=65535, title="SFTP port")] = 22
    sftp_user: Annotated[str, Field(title="SFTP user", max_length=64)] = ""
    sftp_private_key: Annotated[SecretStr | None, Pem(), Field(title="Private key of the SFTP user")] = None
    sftp_password: Annotated[SecretStr | None, Field(title="Password of the SFTP user")] = None
    sftp_host_key: Annotated[
        str,
        AfterValidator(_host_key),
        Field(title="Host key of the SFTP host", description="As the bank publishes it: ssh-ed25519 …", max_length=999),
    ] = ""
    sftp_folder_out: Annotated[Path, Field(title="Folder for our files")] = ""
    sftp_folder_in: Annotated[Path, Field(title="Folder of the bank's files")] = ""

    @model_validator(mode="after")
    def _can_be_reached(self) -> "SftpFields":
        if self.sftp_host and not (self.sftp_user and self.sftp_host_key and self.sftp_folder_out):
            raise ValueError(gettext("An SFTP host needs a user, its host key and the folder for our files."))
        if self.sftp_host and not (self.sftp_private_key or self.sftp_password):
            raise ValueError(gettext("An SFTP host needs a private key or a password."))
        return self

    @property
    def folder(self) -> "SftpFolder | None":
        """Where our files are dropped."""
        return SftpFolder(self) if self.sftp_host else None

    @property
    def inbox(self) -> "SftpFolder | None":
        """Where the bank's files are."""
        return SftpFolder(self) if self.sftp_host and self.sftp_folder_in else None


class SftpFolder:
    """Connects again for each step, and ends within the time of a call to a provider."""

    def __init__(self, credentials: SftpFields) -> None:
        self._of = credentials

    def check(self) -> None:
        """Raises NotConnected with the reason."""
        try:
            with self._connected() as sftp:
                for folder in filter(None, (self._of.sftp_folder_out, self._of.sftp_folder_in)):
                    sftp.listdir(folder)
        except (NotSent, *_FAILURES) as failed:
            raise NotConnected(getattr(failed, "reason", "") or f"{type(failed).__name__}: {failed}") from None

    def find(self, name: str) -> int | None:
        with self._step() as sftp:
            try:
                return sftp.stat(self._path(name)).st_size
            except FileNotFoundError:
                return None

    def upload(self, name: str, content: bytes) -> None:
        with self._step() as sftp:
            sftp.putfo(io.BytesIO(content), self._path(name), file_size=len(content), confirm=True)

    def rename(self, before: str, after: str) -> None:
        """SFTP's own rename refuses where a file of the name exists."""
        with self._step() as sftp:
            sftp.rename(self._path(before), self._path(after))

    def received(self) -> Iterator[tuple[str, bytes]]:
        """The newest files in the bank's own folder, the oldest of them first. Those that are too long, are still being
        written or have gone are left with a warning. Raises NotSent and Unclear.
        """
        with self._step() as sftp:
            there = [one for one in sftp.listdir_attr(self._of.sftp_folder_in) if _is_file(one)]
            there.sort(key=lambda one: (one.st_mtime or 0, one.filename))
            if len(there) > MOST_FILES:
                log.warning("bank_folder.too_many_files", host=self._of.sftp_host, files=len(there))
            for one in there[-MOST_FILES:]:
                content = self._whole(sftp, one)
                if content is None:
                    log.warning("bank_folder.file_left", host=self._of.sftp_host, file=one.filename[:120])
                else:
                    yield one.filename, content

    def _whole(self, sftp: paramiko.SFTPClient, listed: paramiko.SFTPAttributes) -> bytes | None:
        """The content, if it is as long as listed before and after."""
        path = f"{self._of.sftp_folder_in}/{listed.filename}"
        size = listed.st_size or 0
        if size > LONGEST_FILE:
            return None
        try:
            with sftp.open(path, "rb") as file:
                found = file.read(size + 1)
            after = sftp.stat(path)
        except OSError:
            if sftp.get_channel().closed:  # type: ignore[union-attr]
                raise
            return None
        same = (after.st_size, after.st_mtime) == (listed.st_size, listed.st_mtime)
        return found if same and len(found) == size else None

    def _path(self, name: str) -> str:
        return str(PurePosixPath(self._of.sftp_folder_out) / name)

    @contextmanager
    def _step(self) -> Iterator[paramiko.SFTPClient]:
        """What fails once we are connected may have taken effect."""
        with self._connected() as sftp:
            try:
                yield sftp
            except _FAILURES as failed:
                raise Unclear(f"{type(failed).__name__}: {failed}") from None

    @contextmanager
    def _connected(self) -> Iterator[paramiko.SFTPClient]:
        client = paramiko.SSHClient()
        client.set_missing_host_key_policy(paramiko.RejectPolicy())
        try:
            self._pin(client)
            self._connect(client)
            transport = client.get_transport()
            sftp = _Client.from_transport(transport) if transport else None
            if sftp is None:
                raise paramiko.SSHException("the server opens no channel")
            channel = sftp.get_channel()
            if channel is not None:
                channel.settimeout(settings.PROVIDER_TIMEOUT_S)
        except _FAILURES as failed:
            client.close()
            raise NotSent(f"{type(failed).__name__}: {failed}") from None
        try:
            yield sftp
        finally:
            client.close()

    def _pin(self, client: paramiko.SSHClient) -> None:
        """Only this key is accepted, whatever the machine's own list of hosts says."""
        kind, _, encoded = self._of.sftp_host_key.partition(" ")
        key = paramiko.PKey.from_type_string(kind, base64.b64decode(encoded))
        port = self._of.sftp_port
        name = self._of.sftp_host if port == paramiko.config.SSH_PORT else f"[{self._of.sftp_host}]:{port}"
        client.get_host_keys().add(name, kind, key)

    def _connect(self, client: paramiko.SSHClient) -> None:
        limit = settings.PROVIDER_TIMEOUT_S
        client.connect(
            self._of.sftp_host,
            port=self._of.sftp_port,
            username=self._of.sftp_user,
            pkey=_key(self._of.sftp_private_key),
            password=self._of.sftp_password.get_secret_value() if self._of.sftp_password else None,
            timeout=limit,
            banner_timeout=limit,
            auth_timeout=limit,
            channel_timeout=limit,
            allow_agent=False,
            look_for_keys=False,
        )


class _Answer(paramiko.Message):
    def get_text(self) -> str:
        return self.get_string().decode(errors="replace")


class _Client(paramiko.SFTPClient):
    """Lists names that are not UTF-8 as well: such a file cannot be read, but all others of its folder can."""

    def _request(self, t: int, *args: Any) -> tuple[int, paramiko.Message]:
        kind, message = super()._request(t, *args)  # type: ignore[misc]
        answer = _Answer()
        answer.packet = message.packet
        return kind, answer


def _is_file(one: paramiko.SFTPAttributes) -> bool:
    is_regular = one.st_mode is None or stat.S_ISREG(one.st_mode)
    is_finished = not one.filename.startswith(".") and not one.filename.lower().endswith(UNFINISHED)
    return bool(one.st_size) and is_regular and is_finished


def _key(text: SecretStr | None) -> paramiko.PKey | None:
    if text is None:
        return None
    for kind in (paramiko.Ed25519Key, paramiko.ECDSAKey, paramiko.RSAKey):
        try:
            return kind.from_private_key(io.StringIO(text.get_secret_value()))
        except (paramiko.SSHException, ValueError):
            continue
    raise paramiko.SSHException("the private key is of no known kind")
