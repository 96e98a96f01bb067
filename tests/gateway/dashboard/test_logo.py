"""A logo is what we have drawn of an image: nothing else is taken, kept or served."""

import io
import zlib

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image

from accounts import logos
from accounts.models import AuditEntry, Logo
from accounts.roles import Role
from tests.support.api import Api
from tests.support.checkout import browser
from tests.support.companies import Shop
from tests.support.payment_links import LinkPage, a_link
from tests.support.people import a_member, signed_in
from tests.support.rows import rows


def image(kind: str = "PNG", size: tuple[int, int] = (1200, 300)) -> bytes:
    drawn = io.BytesIO()
    Image.new("RGB", size, "#7a1fa2").save(drawn, kind, comment=b"secret") if kind == "JPEG" else Image.new(
        "RGB", size, "#7a1fa2"
    ).save(drawn, kind)
    return drawn.getvalue()


def uploaded(client: Client, shop: Shop, content: bytes) -> int:
    path = f"/dashboard/{shop.company.pk}/sandbox/settings/logo"
    return client.post(path, {"logo": SimpleUploadedFile("logo.svg", content)}).status_code


def test_payers_see_the_logo_drawn_again(api: Api, acme: Shop) -> None:
    owner = signed_in(a_member(acme.company))

    assert uploaded(owner, acme, image("JPEG") + b"<script>") == 302

    page = LinkPage(a_link(api)).open().content.decode()
    address = logos.address(acme.company)
    assert address and f'src="{address}"' in page
    served = browser().get(address)
    assert (served["Content-Type"], served["X-Content-Type-Options"]) == ("image/png", "nosniff")
    assert b"script" not in served.content and b"secret" not in served.content
    with Image.open(io.BytesIO(served.content)) as shown:
        assert (shown.format, shown.size) == ("PNG", (480, 120))
    assert AuditEntry.objects.get(action="company.logo_changed").company == acme.company
    assert browser().get("/logos/unknown.png").status_code == 404


def bomb() -> bytes:
    """A PNG of some bytes that would take gigabytes in memory."""
    content = bytearray(image(size=(10, 10)))
    content[16:24] = (60_000).to_bytes(4) * 2
    content[29:33] = zlib.crc32(bytes(content[12:29])).to_bytes(4)
    return bytes(content)


def endless() -> bytes:
    """A JPEG that asks for the same pixels again and again, in 23 bytes each time."""
    content = io.BytesIO()
    Image.new("L", (3000, 3000)).save(content, "JPEG", progressive=True)
    last = content.getvalue()[content.getvalue().rindex(b"\xff\xc4") : -2]
    return content.getvalue()[:-2] + last * 5_000 + b"\xff\xd9"


@rows("content", [b"", b"<svg/>", image("GIF"), image()[:60], bomb(), endless(), image() + bytes(logos.LARGEST)])
def test_anything_else_is_refused(acme: Shop, content: bytes) -> None:
    assert uploaded(signed_in(a_member(acme.company)), acme, content) == 200

    assert not Logo.objects.exists()


def test_only_owners_change_it(acme: Shop) -> None:
    assert uploaded(signed_in(a_member(acme.company, Role.FINANCE)), acme, image()) == 403

    assert not Logo.objects.exists()
