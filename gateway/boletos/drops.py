"""A registration file is dropped in the folder of its bank, after the earlier ones of its agreement."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

import structlog
from django.db import transaction

from accounts.base.clock import utcnow
from accounts.base.sealing import unseal
from gateway.boletos.models import RegistrationFile
from gateway.providers.asking import LEASE
from gateway.providers.dropping import drop
from gateway.providers.errors import CallFailed
from gateway.providers.selectors import folder_of

log = structlog.get_logger()
AGAIN_AFTER = timedelta(minutes=2)
UNCERTAIN = "The connection broke while it was renamed, and it is not in the folder: ask the bank whether it has it."


def begin(file: RegistrationFile, _due_at: datetime) -> Callable[[], object] | None:
    """Reserves the file for this process; what is returned drops it after the commit."""
    earlier = RegistrationFile.objects.filter(agreement=file.agreement, sequence__lt=file.sequence)
    if earlier.filter(drop_at__isnull=False).exists():
        file.drop_at = utcnow() + AGAIN_AFTER
        file.save(update_fields=["drop_at"])
        return None
    file.drop_at = file.leased_until = utcnow() + LEASE
    file.save(update_fields=["drop_at", "leased_until"])
    return partial(_drop, file)


def _drop(file: RegistrationFile) -> None:
    try:
        is_dropped = _dropped(file)
    except CallFailed as failed:
        log.warning("registration_file.not_dropped", file=file.pk, reason=failed.reason)
        _store(file, drop_at=utcnow() + AGAIN_AFTER, leased_until=None, drop_failure=failed.reason[:255])
        return
    if is_dropped:
        _store(file, dropped_at=utcnow(), drop_at=None, leased_until=None, drop_failure="")
    else:
        log.critical("registration_file.possibly_dropped", file=file.pk, name=file.name)
        _store(file, drop_at=None, leased_until=None, drop_failure=UNCERTAIN)


def _dropped(file: RegistrationFile) -> bool:
    """False: nobody can tell from here. Raises CallFailed."""
    folder = folder_of(file.account)
    if folder is None:
        raise CallFailed("the account has no folder any more")
    return drop(
        folder,
        file.name,
        unseal(bytes(file.sealed_content)),
        is_renaming=file.renaming_since is not None,
        renaming_begins=lambda: _store(file, renaming_since=utcnow()),
    )


@transaction.atomic
def _store(file: RegistrationFile, **values: object) -> None:
    """Only the process that reserved the file changes it."""
    held = RegistrationFile.objects.select_for_update(no_key=True).get(pk=file.pk)
    if held.leased_until is None or held.leased_until != file.leased_until:
        raise CallFailed("another process took over")
    for name, value in values.items():
        setattr(held, name, value)
    held.save(update_fields=list(values))
