"""Codes of PIX as a bank reads them."""


def parse(code: str) -> dict[str, str]:
    """EMV TLV, as a bank's parser walks it."""
    found = {}
    while code:
        tag, length = code[:2], int(code[2:4])
        found[tag], code = code[4 : 4 + length], code[4 + length :]
        assert len(found[tag]) == length
    return found
