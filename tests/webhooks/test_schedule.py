"""A failed webhook is tried ten times over three days, and a receiver may ask for more time."""

from datetime import UTC, datetime, timedelta

import pytest

from webhooks.schedule import next_attempt_after, requested_wait_s

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
MIDDLE = 0.5
DAY_S = 24 * 3600


def seconds(attempts_made, *, asked=None, random01=MIDDLE, scale=1.0):
    wait = next_attempt_after(attempts_made, asked, random01, scale)
    return None if wait is None else wait.total_seconds()


@pytest.mark.parametrize(
    ("attempts_made", "wait_s"),
    [
        (0, 0),
        (1, 5),
        (2, 300),
        (3, 1_800),
        (4, 7_200),
        (5, 18_000),
        (6, 36_000),
        (7, 50_400),
        (8, 72_000),
        (9, 86_400),
        (10, None),
        (11, None),
    ],
)
def test_the_waits_are_those_of_the_contract(attempts_made, wait_s):
    assert seconds(attempts_made) == wait_s


def test_all_ten_attempts_take_about_75_hours_and_35_minutes():
    waits = [next_attempt_after(made, None, MIDDLE, 1.0) for made in range(10)]

    assert sum(waits, timedelta()) == timedelta(hours=75, minutes=35, seconds=5)


@pytest.mark.parametrize(("random01", "wait_s"), [(0.0, 270.0), (0.5, 300.0), (0.75, 315.0), (1.0, 330.0)])
def test_a_wait_varies_by_a_tenth_either_way(random01, wait_s):
    assert seconds(2, random01=random01) == pytest.approx(wait_s)


@pytest.mark.parametrize(
    ("asked_s", "wait_s"),
    [(0, 300), (60, 300), (300, 300), (301, 301), (3_600, 3_600), (DAY_S, DAY_S), (10 * DAY_S, DAY_S)],
)
def test_a_receiver_can_postpone_by_a_day_and_never_hasten(asked_s, wait_s):
    assert seconds(2, asked=asked_s) == wait_s


def test_a_wish_does_not_add_an_eleventh_attempt():
    assert seconds(10, asked=60) is None


def test_the_scale_shrinks_the_schedule():
    assert seconds(9, scale=0.001) == pytest.approx(86.4)


def test_a_wish_counts_in_real_seconds_even_when_the_schedule_is_scaled():
    assert seconds(1, asked=2, scale=0.001) == 2


def test_the_longest_wish_shrinks_with_the_schedule():
    assert seconds(1, asked=DAY_S, scale=0.001) == pytest.approx(86.4)


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("header", "wait_s"),
    [
        ("120", 120),
        (" 120 ", 120),
        ("0", 0),
        ("000120", 120),
        ("9" * 5_000, DAY_S),
        ("Fri, 20 Nov 2026 12:02:00 GMT", 120),
        ("Friday, 20-Nov-26 12:02:00 GMT", 120),
        ("Fri Nov 20 12:02:00 2026", 120),
        ("Fri, 20 Nov 2026 09:02:00 -0300", 120),
        ("Fri, 20 Nov 2026 11:00:00 GMT", 0),
    ],
)
def test_a_busy_receiver_may_ask_for_time(status, header, wait_s):
    assert requested_wait_s(status, header, NOW) == wait_s


def test_a_wish_for_a_moment_is_never_cut_short():
    half_a_second_later = NOW + timedelta(milliseconds=500)

    assert requested_wait_s(503, "Fri, 20 Nov 2026 12:02:00 GMT", half_a_second_later) == 120


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "soon",
        "-5",
        "1.5",
        "1e3",
        "٣",
        "²",
        "120, 240",
        "Fri, 99 Nov 2026 12:02:00 GMT",
        "Fri, 20 Nov 999999999999 12:02:00 GMT",
        "Fri, 20 Nov 2026 12:02:00 +999999999999",
        "\udcff",
        "," * 64,
    ],
)
def test_an_illegible_wish_is_none(header):
    assert requested_wait_s(503, header, NOW) is None


@pytest.mark.parametrize("status", [None, 200, 301, 400, 500, 502, 504])
def test_only_429_and_503_may_ask(status):
    assert requested_wait_s(status, "120", NOW) is None
