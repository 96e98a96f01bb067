"""The logo of a company, as payers see it: drawn again, so that nothing else of the uploaded file is kept."""

import hashlib
import io

from django.db import transaction
from django.http import HttpRequest
from PIL import Image, ImageOps

from accounts import audit
from accounts.base.ids import is_well_formed
from accounts.errors import InvalidLogo
from accounts.models import Company, Logo

LARGEST = 2 * 1024 * 1024
"""Bytes of an uploaded file."""
MOST_PIXELS = 3000 * 3000
"""Pixels of an uploaded image, by its header: it is not decoded if it has more."""
MOST_SCANS = 100
"""Of a JPEG; programs write about ten."""
SHOWN = (480, 160)
"""Pixels of the stored image at most."""
FORMATS = ("PNG", "JPEG", "WEBP")


@transaction.atomic
def upload(request: HttpRequest, company: Company, content: bytes) -> Logo:
    """Replaces the company's logo. Raises ONP400_LOGO unless it is a PNG, JPEG or WebP within the limits."""
    drawn = redrawn(content)
    name = hashlib.sha256(company.pk.encode() + drawn).hexdigest()[:32]
    logo, _made = Logo.objects.update_or_create(company=company, defaults={"name": name, "content": drawn})
    audit.record(request, "company.logo_changed", company=company, object_id=company.pk, after={"logo": name})
    return logo


@transaction.atomic
def remove(request: HttpRequest, company: Company) -> None:
    """Removes the company's logo, if it has one."""
    removed, _kinds = Logo.objects.filter(company=company).delete()
    if removed:
        audit.record(request, "company.logo_changed", company=company, object_id=company.pk, after={"logo": ""})


def redrawn(content: bytes) -> bytes:
    """The image as a PNG of at most `SHOWN`. Raises ONP400_LOGO."""
    if len(content) > LARGEST:
        raise InvalidLogo(field="logo")
    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as image:
            if image.width * image.height > MOST_PIXELS or _scans(image, content) > MOST_SCANS:
                raise InvalidLogo(field="logo")
            shown = ImageOps.exif_transpose(image).convert("RGBA")
            shown.thumbnail(SHOWN)
            drawn = io.BytesIO()
            shown.save(drawn, "PNG", icc_profile=None)
    except Exception:  # noqa: BLE001  (a damaged file makes the library raise anything)
        raise InvalidLogo(field="logo") from None
    return drawn.getvalue()


def _scans(image: Image.Image, content: bytes) -> int:
    """How often the decoder goes over all pixels: a JPEG can ask for it with a few bytes each time."""
    return content.count(b"\xff\xda") if image.format == "JPEG" else 1


def address(company: Company) -> str | None:
    """Where its logo is, below the origin of the page; None without one. The address names no company."""
    name = Logo.objects.filter(company=company).values_list("name", flat=True).first()
    return f"/logos/{name}.png" if name else None


def of(company: Company) -> Logo | None:
    return Logo.objects.filter(company=company).first()


def content_of(name: str) -> bytes | None:
    """The image of a name, or None."""
    found = Logo.objects.filter(name=name).values_list("content", flat=True).first() if is_well_formed(name) else None
    return None if found is None else bytes(found)
