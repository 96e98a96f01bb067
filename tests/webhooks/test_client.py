"""The sender against real receivers on this machine, from well-behaved to hostile."""

import asyncio
import contextlib
import gzip
import os
import socket
import ssl
import struct
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
import uvloop
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from webhooks.client import Sender

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
BODY = b'{"type":"payment.paid"}'
SIGNED = {"webhook-id": "evt_1"}


@dataclass
class Receiver:
    """A merchant's server: what it got, and where it listens."""

    port: int = 0
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0

    def url(self, path="/hook", host="127.0.0.1", scheme="http"):
        return f"{scheme}://{host}:{self.port}{path}"


@contextlib.asynccontextmanager
async def a_receiver(answer, tls=None):
    receiver = Receiver()
    writers = []

    async def serve(reader, writer):
        receiver.connections += 1
        writers.append(writer)
        try:
            while request := await read_request(reader):
                receiver.requests.append(request)
                if not await answer(writer):
                    break
        except OSError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        for writer in writers:
            writer.transport.abort()
        await asyncio.sleep(0.001)


async def read_request(reader):
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return b""
    length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    return head + await reader.readexactly(int(length.partition(b":")[2]))


def says(*parts, keeps=True, pause_s=0.0):
    """Sends the parts with a pause between them, then keeps or closes the connection."""

    async def answer(writer):
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause_s)
        return keeps

    return answer


def repeats(part, start=b"", pause_s=0.0):
    """Sends the start, then the same part for ever."""

    async def answer(writer):
        writer.write(start)
        while True:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause_s)

    return answer


async def never_answers(writer):
    await asyncio.sleep(30)


async def resets(writer):
    linger = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    return False


def leading_to(*addresses):
    """A name server that gives the addresses in turn, one to a question, and remembers the questions."""
    questions = []

    def lookup(host, port, **_):
        questions.append(host)
        address = addresses[min(len(questions), len(addresses)) - 1]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    lookup.questions = questions
    return lookup


async def post(sender, url, *, loopback_allowed=True):
    return await sender.post(url, BODY, SIGNED, owner="acme", loopback_allowed=loopback_allowed)


def one_post(answer, **settings):
    """Post once to a receiver that answers so; gives our verdict and what the receiver saw."""

    async def story():
        async with a_receiver(answer) as receiver, Sender(**settings) as sender:
            return await post(sender, receiver.url()), receiver

    return asyncio.run(story())


class Authority:
    """A certificate authority of our own, and a server certificate for shop.test."""

    def __init__(self, folder):
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test CA")])
        self._root = self._sign(self._name, self._key.public_key(), x509.BasicConstraints(True, None))
        self._folder = folder
        self._root_file = folder / "root.pem"
        self._root_file.write_bytes(self._root.public_bytes(serialization.Encoding.PEM))

    def trusted(self):
        return ssl.create_default_context(cafile=str(self._root_file))

    def serving(self, *names, expired=False):
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "shop")])
        alternatives = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
        certificate = self._sign(subject, key.public_key(), alternatives, expired=expired)
        pem = self._folder / f"{'-'.join(names)}-{expired}.pem"
        pem.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        return context

    def _sign(self, subject, public_key, extension, *, expired=False):
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(public_key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=2))
            .not_valid_after(now + timedelta(days=-1 if expired else 1))
            .add_extension(extension, critical=False)
            .sign(self._key, hashes.SHA256())
        )


@pytest.fixture(autouse=True)
def any_port(settings):
    """Receivers here listen where there is room; which ports are called is told by the tests of addresses."""
    settings.WEBHOOK_PORTS = range(1, 65536)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


def test_a_200_is_a_success_and_its_body_is_kept():
    answer, receiver = one_post(says(OK))

    assert (answer.status, answer.error, answer.excerpt, answer.is_success) == (200, None, "ok", True)
    assert len(receiver.requests) == 1


def test_a_204_is_a_success():
    answer, _ = one_post(says(b"HTTP/1.1 204 No Content\r\n\r\n"))

    assert (answer.status, answer.excerpt, answer.is_success) == (204, "", True)


@pytest.mark.parametrize("status", [101, 400, 404, 410, 429, 500, 503])
def test_another_status_is_a_failure_that_keeps_the_status(status):
    answer, _ = one_post(says(b"HTTP/1.1 %d No\r\nContent-Length: 4\r\n\r\nbusy" % status))

    assert (answer.status, answer.is_success) == (status, False)


def test_the_wish_to_wait_is_passed_on():
    answer, _ = one_post(says(b"HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n"))

    assert (answer.status, answer.retry_after) == (503, "120")


@pytest.mark.parametrize("header", [b"\xff\xfe", b"1\x7f"])
def test_a_wish_that_is_not_text_is_dropped(header):
    answer, _ = one_post(says(b"HTTP/1.1 503 Busy\r\nRetry-After: %b\r\nContent-Length: 0\r\n\r\n" % header))

    assert answer.retry_after is None


def test_the_receiver_gets_the_exact_body_and_headers():
    _, receiver = one_post(says(OK))

    head, _, body = receiver.requests[0].partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert body == BODY
    assert lines[0] == "POST /hook HTTP/1.1"
    assert sorted(lines[1:]) == [
        "Accept-Encoding: identity",
        "Accept: */*",
        f"Content-Length: {len(BODY)}",
        "Content-Type: application/json",
        f"Host: 127.0.0.1:{receiver.port}",
        "User-Agent: Onpay-Webhooks/2",
        "webhook-id: evt_1",
    ]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_failure_and_is_not_followed(status):
    async def story():
        async with a_receiver(says(OK)) as sink, Sender() as sender:
            redirect = f"HTTP/1.1 {status} Go\r\nLocation: {sink.url()}\r\nContent-Length: 0\r\n\r\n"
            async with a_receiver(says(redirect.encode())) as receiver:
                return await post(sender, receiver.url()), receiver, sink

    answer, receiver, sink = asyncio.run(story())

    assert (answer.status, answer.is_success) == (status, False)
    assert len(receiver.requests) == 1
    assert (sink.connections, sink.requests) == (0, [])


def test_a_receiver_that_never_answers_is_left_at_the_deadline():
    answer, _ = one_post(never_answers, total_timeout_s=0.2)

    assert (answer.status, answer.error, answer.is_success) == (None, "TIMEOUT", False)
    assert 200 <= answer.elapsed_ms < 1000


def test_dripping_headers_are_cut_at_the_deadline():
    answer, _ = one_post(repeats(b"X", start=b"HTTP/1.1 200 OK\r\nX: ", pause_s=0.02), total_timeout_s=0.2)

    assert (answer.status, answer.error) == (None, "TIMEOUT")
    assert 200 <= answer.elapsed_ms < 1000


def test_a_dripping_body_is_cut_at_the_deadline():
    answer, _ = one_post(repeats(b"x", start=b"HTTP/1.1 200 OK\r\n\r\n", pause_s=0.02), total_timeout_s=0.2)

    assert (answer.status, answer.error, answer.is_success) == (200, "TIMEOUT", False)
    assert 2 <= len(answer.excerpt) <= 11
    assert 200 <= answer.elapsed_ms < 1000


def test_an_endless_body_is_cut_at_4096_bytes():
    answer, _ = one_post(repeats(b"x" * 65536, start=b"HTTP/1.1 200 OK\r\n\r\n"))

    assert (answer.status, answer.error, answer.is_success) == (200, None, True)
    assert answer.excerpt == "x" * 4096


@pytest.mark.parametrize(("length", "connections"), [(4096, 1), (100_000, 2)])
def test_a_connection_is_closed_after_a_body_that_was_cut(length, connections):
    async def story():
        long = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (length, b"x" * length)
        async with a_receiver(says(long)) as receiver, Sender() as sender:
            first = await post(sender, receiver.url())
            return first, await post(sender, receiver.url()), receiver

    first, second, receiver = asyncio.run(story())

    assert len(first.excerpt) == len(second.excerpt) == 4096
    assert receiver.connections == connections


@pytest.mark.parametrize(
    ("start", "part"),
    [
        (b"HTTP/1.1 200 OK\r\nX: ", b"x" * 65536),
        (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 9000),
        (b"HTTP/1.1 200 ", b"x" * 65536),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 2000),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"x" * 65536),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n" * 9000),
    ],
    ids=["one header", "many headers", "reason", "interim answers", "chunk extension", "trailers"],
)
def test_an_answer_without_an_end_is_left_long_before_the_deadline(start, part):
    answer, _ = one_post(repeats(part, start))

    assert (answer.error, answer.is_success) == ("INVALID_RESPONSE", False)
    assert answer.elapsed_ms < 1000


def test_a_loop_that_reads_past_the_limit_of_an_answer_is_not_taken():
    async def opened():
        async with Sender():
            pass

    with pytest.raises(AssertionError, match="reads past our sockets"):
        uvloop.run(opened())


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\x01\x02\x03\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"<html>hello</html>\r\n\r\n",
        b"HTTP/1.1 banana\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nNo colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_what_is_not_http_is_an_invalid_response(garbage):
    answer, _ = one_post(says(garbage, keeps=False))

    assert (answer.error, answer.is_success) == ("INVALID_RESPONSE", False)


def test_a_body_that_ends_too_early_is_an_invalid_response():
    answer, _ = one_post(says(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok", keeps=False))

    assert (answer.status, answer.error, answer.is_success) == (200, "INVALID_RESPONSE", False)


@pytest.mark.parametrize("answer", [resets, says(keeps=False)], ids=["reset", "closed"])
def test_a_dropped_connection_is_a_failure_and_is_not_repeated(answer):
    verdict, receiver = one_post(answer)

    assert (verdict.status, verdict.error) == (None, "CONNECTION_RESET")
    assert len(receiver.requests) == 1


def test_a_closed_port_is_a_refused_connection():
    async def story():
        async with a_receiver(says(OK)) as receiver:
            pass
        async with Sender() as sender:
            return await post(sender, receiver.url())

    assert asyncio.run(story()).error == "CONNECTION_REFUSED"


def test_a_gzip_bomb_is_not_unpacked():
    bomb = gzip.compress(b"x" * 50_000_000)
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)

    answer, _ = one_post(says(head + bomb))

    assert (answer.status, answer.is_success) == (200, True)
    assert len(answer.excerpt) <= 4096
    assert "xxxx" not in answer.excerpt


def test_an_excerpt_can_be_stored_and_shown():
    body = "olá\tçé\r\n".encode() + b"\x00\x1b[31m\xff\xed\xa0\x80" + "\u202e".encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)

    answer, _ = one_post(says(head + body))

    assert answer.excerpt == "olá\tçé\r\n��[31m�����"


def test_connections_are_kept_and_no_cookie_is_returned():
    async def story():
        cookie = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Path=/\r\nContent-Length: 0\r\n\r\n"
        async with a_receiver(says(cookie)) as receiver, Sender() as sender:
            answers = [await post(sender, receiver.url()) for _ in range(5)]
            return answers, receiver

    answers, receiver = asyncio.run(story())

    assert [answer.status for answer in answers] == [200] * 5
    assert receiver.connections == 1
    assert not any(b"cookie" in request.lower() for request in receiver.requests)


def test_a_kept_connection_closed_meanwhile_does_not_cost_the_attempt():
    async def story():
        """Take a second request on the connection, then hang up without a word."""
        served = []

        async def answer(writer):
            served.append(writer)
            if served.count(writer) == 2:
                return False
            return await says(OK)(writer)

        async with a_receiver(answer) as receiver, Sender() as sender:
            answers = [await post(sender, receiver.url()) for _ in range(3)]
            return answers, receiver

    answers, receiver = asyncio.run(story())

    assert [answer.status for answer in answers] == [200, 200, 200]
    assert (receiver.connections, len(receiver.requests)) == (3, 5)


def test_the_limit_for_one_host_holds():
    async def story():
        open_now, most = 0, 0

        async def answer(writer):
            nonlocal open_now, most
            open_now += 1
            most = max(most, open_now)
            await asyncio.sleep(0.01)
            open_now -= 1
            return await says(OK)(writer)

        async with a_receiver(answer) as receiver, Sender(limit_per_host=3) as sender:
            answers = await asyncio.gather(*(post(sender, receiver.url()) for _ in range(12)))
            return answers, receiver, most

    answers, receiver, most = asyncio.run(story())

    assert [answer.status for answer in answers] == [200] * 12
    assert (receiver.connections, most) == (3, 3)


def test_proxies_of_the_environment_are_ignored(monkeypatch):
    async def story():
        async with a_receiver(says(OK)) as proxy, a_receiver(says(OK)) as receiver:
            for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
                monkeypatch.setenv(name, proxy.url(path=""))
            async with Sender() as sender:
                return await post(sender, receiver.url()), receiver, proxy

    answer, receiver, proxy = asyncio.run(story())

    assert answer.status == 200
    assert (receiver.connections, proxy.connections) == (1, 0)


def test_a_cancelled_post_is_cancelled():
    async def story():
        async with a_receiver(never_answers) as receiver, Sender() as sender:
            task = asyncio.create_task(post(sender, receiver.url()))
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(story())


def test_many_troubles_at_once_do_not_touch_each_other():
    async def story():
        async with (
            a_receiver(says(OK)) as good,
            a_receiver(never_answers) as silent,
            a_receiver(repeats(b"x" * 65536, start=b"HTTP/1.1 200 OK\r\nX: ")) as endless,
            a_receiver(resets) as resetting,
            Sender(total_timeout_s=1) as sender,
        ):
            others = [post(sender, r.url()) for r in (silent, endless, resetting) for _ in range(10)]
            goods = [post(sender, good.url()) for _ in range(10)]
            return await asyncio.gather(*others, *goods)

    answers = asyncio.run(story())

    assert [answer.error for answer in answers[:10]] == ["TIMEOUT"] * 10
    assert [answer.error for answer in answers[10:20]] == ["INVALID_RESPONSE"] * 10
    assert [answer.error for answer in answers[20:30]] == ["CONNECTION_RESET"] * 10
    assert [answer.status for answer in answers[30:]] == [200] * 10
    assert max(a.elapsed_ms for a in answers[30:]) < min(a.elapsed_ms for a in answers[:10])


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/",
        "https://127.0.0.1:{port}/",
        "https://localhost:{port}/",
        "https://2130706433:{port}/",
        "https://0x7f.1:{port}/",
        "https://127.1:{port}/",
        "https://[::ffff:127.0.0.1]:{port}/",
        "https://user@shop.test:{port}/",
        "not a url",
    ],
)
def test_a_forbidden_url_reaches_nobody(url):
    async def story():
        async with a_receiver(says(OK)) as receiver, Sender() as sender:
            return await post(sender, url.format(port=receiver.port), loopback_allowed=False), receiver

    answer, receiver = asyncio.run(story())

    assert (answer.status, answer.error) == (None, "FORBIDDEN_ADDRESS")
    assert receiver.connections == 0


def test_a_name_that_leads_to_loopback_reaches_nobody():
    async def story():
        lookup = leading_to("127.0.0.1")
        async with a_receiver(says(OK)) as receiver, Sender(lookup=lookup) as sender:
            url = receiver.url(host="shop.test", scheme="https")
            return await post(sender, url, loopback_allowed=False), receiver

    answer, receiver = asyncio.run(story())

    assert (answer.error, receiver.connections) == ("FORBIDDEN_ADDRESS", 0)


def test_a_connection_is_made_with_the_one_lookup_that_was_vetted():
    async def story():
        lookup = leading_to("127.0.0.1", "169.254.169.254")
        async with (
            a_receiver(says(OK, keeps=False)) as receiver,
            Sender(lookup=lookup, connect_timeout_s=0.5) as sender,
        ):
            first = await post(sender, receiver.url(host="shop.localhost"))
            asked_once = list(lookup.questions)
            second = await post(sender, receiver.url(host="shop.localhost"))
            return first, asked_once, second, receiver

    first, asked_once, second, receiver = asyncio.run(story())

    assert (first.status, asked_once) == (200, ["shop.localhost"])
    assert (second.error, receiver.connections) == ("FORBIDDEN_ADDRESS", 1)


def test_a_connection_kept_by_a_local_endpoint_does_not_serve_a_public_one(authority):
    async def story():
        settings = {"ssl_context": authority.trusted(), "lookup": leading_to("127.0.0.1")}
        async with (
            a_receiver(says(OK), tls=authority.serving("shop.test")) as receiver,
            Sender(**settings) as sender,
        ):
            url = receiver.url(host="shop.test", scheme="https")
            local = await post(sender, url)
            return local, await post(sender, url, loopback_allowed=False), receiver

    local, public, receiver = asyncio.run(story())

    assert (local.status, public.error) == (200, "FORBIDDEN_ADDRESS")
    assert len(receiver.requests) == 1


def test_a_name_without_an_address_is_a_dns_failure():
    def lookup(host, port, **_):
        raise socket.gaierror(-2, "Name or service not known")

    async def story():
        async with Sender(lookup=lookup) as sender:
            return await post(sender, "https://shop.test/hook")

    assert asyncio.run(story()).error == "DNS"


def test_a_lookup_without_an_end_is_left_at_the_connect_time():
    release = threading.Event()

    async def story():
        async with Sender(lookup=lambda *_, **__: release.wait(10), connect_timeout_s=0.2) as sender:
            return await post(sender, "https://shop.test/hook")

    started = time.monotonic()
    answer = asyncio.run(story())
    release.set()

    assert answer.error == "TIMEOUT"
    assert time.monotonic() - started < 1


def test_a_handshake_without_an_end_is_left_at_the_connect_time():
    async def story():
        async with a_receiver(says(OK)) as receiver, Sender(connect_timeout_s=0.2) as sender:
            return await post(sender, receiver.url(scheme="https"))

    answer = asyncio.run(story())

    assert answer.error == "TIMEOUT"
    assert 200 <= answer.elapsed_ms < 1000


def over_tls(authority, tls, *, trusted=True, host="shop.test"):
    async def story():
        context = authority.trusted() if trusted else None
        async with (
            a_receiver(says(OK), tls=tls) as receiver,
            Sender(ssl_context=context, lookup=leading_to("127.0.0.1")) as sender,
        ):
            answers = [await post(sender, receiver.url(host=host, scheme="https")) for _ in range(2)]
            return answers, receiver

    return asyncio.run(story())


def test_a_trusted_certificate_of_the_right_name_is_accepted(authority):
    answers, receiver = over_tls(authority, authority.serving("shop.test"))

    assert [answer.status for answer in answers] == [200, 200]
    assert receiver.connections == 1


def test_a_certificate_of_another_name_is_refused(authority):
    answers, receiver = over_tls(authority, authority.serving("other.test"))

    assert [answer.error for answer in answers] == ["TLS", "TLS"]
    assert receiver.requests == []


def test_a_certificate_without_our_address_is_refused(authority):
    answers, receiver = over_tls(authority, authority.serving("shop.test"), host="127.0.0.1")

    assert [answer.error for answer in answers] == ["TLS", "TLS"]
    assert receiver.requests == []


def test_a_certificate_of_an_unknown_authority_is_refused(authority):
    answers, receiver = over_tls(authority, authority.serving("shop.test"), trusted=False)

    assert [answer.error for answer in answers] == ["TLS", "TLS"]
    assert receiver.requests == []


def test_an_expired_certificate_is_refused(authority):
    answers, receiver = over_tls(authority, authority.serving("shop.test", expired=True))

    assert [answer.error for answer in answers] == ["TLS", "TLS"]
    assert receiver.requests == []


def test_a_receiver_that_speaks_no_tls_is_a_tls_failure():
    async def blurts(reader, writer):
        writer.write(OK)
        await writer.drain()
        writer.close()

    async def story():
        server = await asyncio.start_server(blurts, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, Sender() as sender:
            return await post(sender, f"https://127.0.0.1:{port}/hook")

    assert asyncio.run(story()).error == "TLS"


def test_a_cut_answer_ends_the_tls_connection_without_a_farewell(authority):
    ended = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]

    def serve():
        """Answer too long, then wait at the level of TCP: a farewell alone would not end the wait."""
        plain, _ = listener.accept()
        with authority.serving("shop.test").wrap_socket(plain, server_side=True) as secure:
            secure.recv(65536)
            secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 8192)
            with socket.socket(fileno=os.dup(secure.fileno())) as wire:
                wire.settimeout(2)
                with contextlib.suppress(ConnectionError):
                    while wire.recv(65536):
                        pass
                ended.set()

    async def story():
        async with Sender(ssl_context=authority.trusted(), lookup=leading_to("127.0.0.1")) as sender:
            answer = await post(sender, f"https://shop.test:{port}/hook")
            return answer, await asyncio.to_thread(ended.wait, 1)

    thread = threading.Thread(target=serve)
    thread.start()
    answer, was_ended = asyncio.run(story())
    thread.join()
    listener.close()

    assert (answer.status, len(answer.excerpt)) == (200, 4096)
    assert was_ended
