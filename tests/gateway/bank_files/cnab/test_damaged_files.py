"""Files that were damaged on their way, and files that were only saved otherwise."""

from collections.abc import Callable
from decimal import Decimal

import pytest

from gateway.bank_files.cnab.lines import MOST_LINES
from gateway.bank_files.reading import read
from gateway.bank_files.shapes import CollectionReturn, SlipEvent, UnreadableFile
from tests.support.bank_lines import put


def bradesco(*paid: str) -> list[str]:
    header = put(400, (1, "02RETORNO01COBRANCA"), (27, "4540691"), (47, "LOJA DA MANHÃ"), (77, "237"), (95, "231126"))
    details = [
        put(400, (1, "1"), (71, f"{number:012d}"), (109, "06231126"), (153, cents.zfill(13)), (254, cents.zfill(13)))
        for number, cents in enumerate(paid, 1)
    ]
    lines = [header, *details, put(400, (1, "9201237"))]
    return [f"{line[:394]}{number:06d}" for number, line in enumerate(lines, 1)]


def t_and_u(*paid: str) -> list[str]:
    lines = [
        put(240, (1, "00100000"), (73, "LOJA"), (143, "2"), (144, "23112026"), (158, "000007")),
        put(240, (1, "00100011T01"), (34, "AGREEMENT")),
    ]
    for number, cents in enumerate(paid):
        t = (1, f"00100013{number * 2 + 1:05d}T 06"), (38, f"{number + 1:020d}"), (82, cents.zfill(15))
        u = (1, f"00100013{number * 2 + 2:05d}U 06"), (78, cents.zfill(15)), (93, cents.zfill(15)), (138, "23112026")
        lines += [put(240, *t), put(240, *u)]
    count = 2 * len(paid)
    return [
        *lines,
        put(240, (1, f"00100015         {count + 2:06d}")),
        put(240, (1, f"00199999         000001{count + 4:06d}")),
    ]


def itau(count: int, cents: int, *paid: str) -> list[str]:
    """With a trailer that counts and sums."""
    lines = [line.replace("237", "341", 1) for line in bradesco(*paid)]
    return [*lines[:-1], put(400, (1, lines[-1]), (213, f"{count:08d}"), (221, f"{cents:014d}"))]


def only(content: bytes) -> CollectionReturn:
    (found,) = read(content)
    assert isinstance(found, CollectionReturn)
    return found


SAVED: list[Callable[[str], bytes]] = [
    lambda text: text.encode("latin-1"),
    lambda text: text.encode(),
    lambda text: b"\xef\xbb\xbf" + text.encode(),
    lambda text: text.replace("\n", "\r\n").encode("latin-1") + b"\r\n\x1a",
    lambda text: text.replace("\n", "\r").encode(),
    lambda text: "\n".join(line.rstrip() for line in text.split("\n")).encode(),
    lambda text: text.replace("\n", "").encode("latin-1"),
    lambda text: ("\n\n" + text + "\n\n\n").encode(),
    lambda text: text.replace("\n", "   \n").encode(),
]


@pytest.mark.parametrize("saved", SAVED)
@pytest.mark.parametrize("lines", [bradesco("1025", "200"), t_and_u("1025", "200")])
def test_how_a_file_was_saved_does_not_matter(lines: list[str], saved: Callable[[str], bytes]) -> None:
    found = only(saved("\n".join(lines)))
    assert [answer.paid for answer in found.answers] == [Decimal("10.25"), Decimal("2.00")]
    assert {answer.event for answer in found.answers} == {SlipEvent.PAID}


def without(lines: list[str], index: int) -> list[str]:
    return lines[:index] + lines[index + 1 :]


@pytest.mark.parametrize(
    ("lines", "reason", "line"),
    [
        (itau(2, 4, "1", "2"), "sums the boletos up", 4),
        (bradesco("1", "2")[:-1], "trailer", 3),
        (bradesco("1")[:1], "trailer", 1),
        ([*bradesco("1"), bradesco("1")[1]], "trailer", 4),
        ([*bradesco("1"), *bradesco("2")], "behind the trailer", 3),
        (bradesco("1O25"), "money", 2),
        (bradesco("-125"), "money", 2),
        (bradesco("٣"), "money", 2),
        ([bradesco("1")[0].replace("02RETORNO", "01REMESSA"), *bradesco("1")[1:]], "to the bank", 1),
        ([line.replace("06231126", "06311126") for line in bradesco("1")], "date", 2),
        ([line + "X" for line in bradesco("1")], "longer", 1),
        (t_and_u("1", "2")[:-1], "trailer", 7),
        (without(t_and_u("1", "2"), 6), "no trailer", 2),
        (without(t_and_u("1"), 1), "out of place", 2),
        ([line.replace("00100013", "00100023") for line in t_and_u("1")], "lot", 3),
        ([t_and_u("1")[0], *(f"237{line[3:]}" for line in t_and_u("1")[1:])], "another bank", 2),
        ([line.replace("00002U", "00002T") for line in t_and_u("1")], "no U", 4),
        ([line.replace("U 06", "U 02") for line in t_and_u("1")], "with money has another code", 4),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(lines: list[str], reason: str, line: int) -> None:
    with pytest.raises(UnreadableFile, match=reason) as refused:
        read("\n".join(lines).encode())
    assert refused.value.line == line


@pytest.mark.parametrize(
    ("lines", "doubts"),
    [
        (without(bradesco("1", "2", "3"), 2), ["Line 3 is numbered '000004', and should be 000003."]),
        (
            without(without(t_and_u("1", "2"), 4), 4),
            [
                "Line 5: the trailer counts 6 lines, the lot has 4.",
                "Line 6: the trailer counts 8 lines, the file has 6.",
            ],
        ),
        (without(without(t_and_u("1", "2"), 2), 2), ["Line 3 is numbered '00003', and should be 00001."]),
        (
            [line.replace("000001000006", "000002000006") for line in t_and_u("1")],
            ["Line 6: the trailer counts 2 lots, the file has 1."],
        ),
        (itau(3, 6, "1", "2"), ["Line 4: the trailer counts 3 lines over 0.06, the file has 2 over 0.03."]),
        (itau(2, 3, "1", "2"), []),
        (bradesco("1", "2"), []),
        (t_and_u("1", "2"), []),
    ],
)
def test_what_is_there_is_read_though_lines_seem_to_be_missing(lines: list[str], doubts: list[str]) -> None:
    found = only("\n".join(lines).encode())
    assert [*map(str, found.doubts)][: len(doubts)] == doubts
    assert bool(found.doubts) is bool(doubts)
    assert all(answer.event is SlipEvent.PAID for answer in found.answers)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"hello", b"%PDF-1.7\n", b"0" * 1000, bytes(range(256)) * 9])
def test_what_is_no_file_of_a_bank_is_refused(content: bytes) -> None:
    with pytest.raises(UnreadableFile):
        read(content)


def test_lines_that_are_filled_up_do_not_fill_the_memory() -> None:
    with pytest.raises(UnreadableFile, match="more than") as refused:
        read(b"02RETORNO\n" + b"\n" * 1_000_000 + b"1\n" * (MOST_LINES + 1))
    assert refused.value.line == 1_000_001 + MOST_LINES
