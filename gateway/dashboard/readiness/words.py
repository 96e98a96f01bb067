"""The colors of grades."""

from gateway.dashboard.words import BAD, DONE, GOOD, WAITING

GRADE = {"A": GOOD, "B": GOOD, "C": WAITING, "D": BAD, "E": BAD}
"""The color of each grade."""
SO_FAR = DONE
