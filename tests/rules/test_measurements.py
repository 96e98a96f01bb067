"""The table of measurements in the README has a line for everything that `make bench` holds the service to."""

from tests.bench import results


def test_the_table_has_the_lines_that_the_measurements_know_in_their_order() -> None:
    _, begins, rest = results.README.read_text().partition(results.BEGINS)
    table, ends, _ = rest.partition(results.ENDS)
    assert begins and ends
    heading, _, *rows = [results.cells(line) for line in table.strip().splitlines()]

    assert tuple(heading) == results.HEADINGS
    assert [tuple(row[:3]) for row in rows] == results.keys()
    assert {len(row) for row in rows} == {len(results.HEADINGS)}


def test_what_is_measured_says_on_which_machine_and_commit() -> None:
    _, _, rest = results.README.read_text().partition(results.BEGINS)
    rows = [results.cells(line) for line in rest.partition(results.ENDS)[0].strip().splitlines()[2:]]

    measured = [row for row in rows if row[3] != results.NOT_YET]
    assert [row for row in measured if "commit" not in row[-1] and "cores" not in row[-1]] == []
