"""Lines of bank files, written by hand."""


def put(width: int, *parts: tuple[int, str]) -> str:
    """A line with texts at positions that are counted from 1."""
    line = [" "] * width
    for start, text in parts:
        line[start - 1 : start - 1 + len(text)] = text
    return "".join(line)
