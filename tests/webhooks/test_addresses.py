"""Webhooks reach the public internet and nothing else, however the address is written."""

import socket
from ipaddress import ip_address

import pytest

from accounts.base.addresses import ForbiddenAddress, UnknownHost, is_public, parse_url, resolve
from tests.support.rows import rows

DANGEROUS = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.127.255.254",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.254",
    "192.0.0.1",
    "192.0.0.9",
    "192.0.0.170",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.168.255.254",
    "198.18.0.1",
    "198.19.255.254",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::1",
    "100::1",
    "100:0:0:1::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "2001:1ff:ffff::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:a00:1::1",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
    "2606:4700:4700::1111%eth0",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.255.255",
    "172.32.0.1",
    "192.167.255.255",
    "198.20.0.1",
    "223.255.255.254",
    "::ffff:8.8.8.8",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2606:4700:4700::1111",
    "2a00:1450:4001:82a::200e",
]
# What other programs take for 127.0.0.1.
LOOPBACK_SPELLINGS = [
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "2130706433",
    "017700000001",
    "0x7f000001",
    "0X7F000001",
    "0x7f.1",
    "0177.0.0.1",
    "0x7f.0x0.0x0.0x1",
    "127.0x0.0.01",
    "①②⑦.⓪.⓪.①",
    "１２７.０.０.１",
    "127。0。0。1",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
]
MALFORMED_HOSTS = [
    "256.1.1.1",
    "1.2.3.4.5",
    "0x",
    "%31%32%37.0.0.1",
    "a..b",
    ".a",
    "..",
    "-a.example",
    "a-.example",
    "a,b",
    "a%00b",
    "a%2fb",
    "[fe80::1%25eth0]",
    "[::1%1]",
    "x" * 64 + ".example",
    "x." * 127 + "example",
]


def answering(*addresses):
    """A name server that gives these addresses to every question."""

    def lookup(host, port, **_):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    return lookup


def changing(*answers):
    """A name server that gives another answer to each question, and the last one for ever."""
    remaining = list(answers)

    def lookup(host, port, **_):
        address = remaining.pop(0) if len(remaining) > 1 else remaining[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    return lookup


def public_url(url):
    return str(parse_url(url, loopback_allowed=False))


def local_url(url):
    return str(parse_url(url, loopback_allowed=True))


@rows("address", DANGEROUS)
def test_a_dangerous_address_is_not_public(address):
    assert not is_public(ip_address(address))


@rows("address", DANGEROUS)
def test_a_name_that_leads_to_a_dangerous_address_is_refused(address):
    with pytest.raises(ForbiddenAddress, match="public addresses only"):
        resolve("shop.example", 443, loopback_allowed=False, lookup=answering(address))


@rows("address", [text for text in DANGEROUS if "%" not in text])
def test_a_url_with_a_dangerous_address_is_refused(address):
    host = f"[{address}]" if ":" in address else address

    with pytest.raises(ForbiddenAddress, match="public addresses only"):
        public_url(f"https://{host}/hook")


@rows("address", PUBLIC)
def test_a_public_address_may_be_called(address):
    vetted = resolve("shop.example", 443, loopback_allowed=False, lookup=answering(address))

    assert vetted == [address.removeprefix("::ffff:")]


@rows("host", LOOPBACK_SPELLINGS)
def test_no_spelling_of_loopback_passes(host):
    with pytest.raises(ForbiddenAddress, match="public addresses only"):
        public_url(f"https://{host}/hook")


@rows("host", LOOPBACK_SPELLINGS)
def test_every_spelling_of_an_address_becomes_the_plain_one(host):
    assert local_url(f"https://{host}/hook") == "https://127.0.0.1/hook"


@rows("host", ["2130706433", "0x7f.1", "127.1", "0177.0.0.1", "localhost", "127.0.0.1"])
def test_the_system_s_own_lookup_is_judged_by_its_answer(host):
    with pytest.raises(ForbiddenAddress, match="public addresses only"):
        resolve(host, 443, loopback_allowed=False)


@rows("host", MALFORMED_HOSTS)
def test_a_malformed_host_is_refused(host):
    with pytest.raises(ForbiddenAddress, match="not a valid"):
        public_url(f"https://{host}/hook")


@rows("answer", [("1.1.1.1", "10.0.0.1"), ("10.0.0.1", "1.1.1.1"), ("1.1.1.1", "8.8.8.8", "::1")])
def test_one_forbidden_address_refuses_the_host(answer):
    with pytest.raises(ForbiddenAddress, match="public addresses only"):
        resolve("shop.example", 443, loopback_allowed=False, lookup=answering(*answer))


def test_a_name_that_turns_private_is_refused_from_then_on():
    lookup = changing("1.1.1.1", "127.0.0.1")

    assert resolve("shop.example", 443, loopback_allowed=False, lookup=lookup) == ["1.1.1.1"]
    with pytest.raises(ForbiddenAddress):
        resolve("shop.example", 443, loopback_allowed=False, lookup=lookup)


def test_loopback_is_the_only_private_space_a_local_service_may_call():
    loopback = {"127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1"}

    vetted = resolve("shop.test", 8000, loopback_allowed=True, lookup=answering("127.0.0.1", "::1"))

    assert vetted == ["127.0.0.1", "::1"]
    for address in set(DANGEROUS) - loopback:
        with pytest.raises(ForbiddenAddress):
            resolve("shop.test", 8000, loopback_allowed=True, lookup=answering(address))


def test_an_address_given_twice_is_called_once():
    lookup = answering("1.1.1.1", "8.8.8.8", "1.1.1.1", "::ffff:8.8.8.8")

    assert resolve("shop.example", 443, loopback_allowed=False, lookup=lookup) == ["1.1.1.1", "8.8.8.8"]


def test_a_name_with_a_thousand_addresses_yields_eight():
    lookup = answering(*(f"1.1.{third}.{fourth}" for third in range(10) for fourth in range(100)))

    assert len(resolve("shop.example", 443, loopback_allowed=False, lookup=lookup)) == 8


def test_a_forbidden_address_beyond_the_eighth_still_refuses():
    lookup = answering(*(f"1.1.1.{last}" for last in range(20)), "10.0.0.1")

    with pytest.raises(ForbiddenAddress):
        resolve("shop.example", 443, loopback_allowed=False, lookup=lookup)


@rows("trouble", [socket.gaierror(-2, "unknown"), UnicodeError("label"), OSError()])
def test_a_name_without_an_address_says_so(trouble):
    def lookup(host, port, **_):
        raise trouble

    with pytest.raises(UnknownHost, match="has no address"):
        resolve("shop.example", 443, loopback_allowed=False, lookup=lookup)


def test_an_empty_answer_is_no_address():
    with pytest.raises(UnknownHost, match="has no address"):
        resolve("shop.example", 443, loopback_allowed=False, lookup=answering())


@rows(
    ("url", "parsed"),
    [
        ("https://shop.example.com/hooks/onpay", "https://shop.example.com/hooks/onpay"),
        ("HTTPS://Shop.Example.com", "https://shop.example.com"),
        ("https://shop.example.com:443/a", "https://shop.example.com/a"),
        ("https://shop.example.com:8443/a?b=c@d", "https://shop.example.com:8443/a?b=c@d"),
        ("https://shop.example.com?a=b@c", "https://shop.example.com/?a=b@c"),
        ("https://shop.example.com./a", "https://shop.example.com/a"),
        ("https://bücher.example/é", "https://xn--bcher-kva.example/%C3%A9"),
        ("https://a_b.example/", "https://a_b.example/"),
        ("https://1.1.1.1:8443/", "https://1.1.1.1:8443/"),
        ("https://[2606:4700:4700::1111]:8443/", "https://[2606:4700:4700::1111]:8443/"),
        ("https://134744072/", "https://8.8.8.8/"),
        ("https://x.example/" + "a" * (2048 - 18), "https://x.example/" + "a" * (2048 - 18)),
    ],
)
def test_a_public_https_url_is_taken(url, parsed):
    assert public_url(url) == parsed


@rows(
    ("url", "sentence"),
    [
        ("https://x.example/" + "a" * (2049 - 18), "at most 2048 characters"),
        ("http://x.example/", "must start with https://"),
        ("ftp://x.example/", "must start with https://"),
        ("file:///etc/passwd", "must be absolute"),
        ("//x.example/", "must be absolute"),
        ("x.example/hook", "must be absolute"),
        ("https:///x", "must be absolute"),
        ("https:x.example", "must be absolute"),
        ("", "must be absolute"),
        ("https://user@x.example/", "user name or password"),
        ("https://user:secret@x.example/", "user name or password"),
        ("https://@x.example/", "user name or password"),
        ("https://x.example@127.0.0.1/", "user name or password"),
        ("https://x.example/#part", "fragment"),
        ("https://x.example/#", "fragment"),
        ("https://x.example:80/", "port"),
        ("https://x.example:0/", "port"),
        ("https://x.example:22/", "port"),
        ("https://x.example:1023/", "port"),
        ("https://x.example:8080/", "The port must be 443 or 8443."),
        ("https://x.example:9443/", "port"),
        ("https://x.example:99999/", "not valid"),
        ("https://x.example:port/", "not valid"),
        ("https://[::1/", "not valid"),
        ("https://[1.2.3.4]/", "not valid"),
        ("https://@]", "not valid"),
        (" https://x.example/", "spaces, backslashes or control"),
        ("https://x.example/a b", "spaces, backslashes or control"),
        ("https://x.exa\nmple/", "spaces, backslashes or control"),
        ("https://x.example/\r\nHost: y", "spaces, backslashes or control"),
        ("https://x.example\\@y.example/", "spaces, backslashes or control"),
        ("https://x.example/\x00", "spaces, backslashes or control"),
        ("https://x.example/\ud800", "spaces, backslashes or control"),
        ("https://\u202ex.example/", "spaces, backslashes or control"),
    ],
)
def test_any_other_url_is_refused_with_the_reason(url, sentence):
    with pytest.raises(ForbiddenAddress, match=sentence):
        public_url(url)


@rows(
    "url",
    [
        "http://localhost/hook",
        "http://localhost:8000/hook",
        "http://127.0.0.1:1024/hook",
        "http://[::1]:9000/hook",
        "https://localhost:8443/hook",
        "https://127.8.9.10/hook",
        "https://localhost:9443/hook",
    ],
)
def test_a_local_service_may_call_itself(url):
    assert local_url(url) == url


@rows("url", ["http://localhost:22/", "http://10.0.0.1:8000/", "http://169.254.169.254/", "ftp://localhost/"])
def test_a_local_service_may_call_nothing_else(url):
    with pytest.raises(ForbiddenAddress):
        local_url(url)
