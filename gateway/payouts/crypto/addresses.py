"""Addresses of the main networks: Base58Check (Bitcoin, TRON), bech32 and bech32m (BIP-173, BIP-350)."""

import hashlib

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_BECH32_CHECK, _BECH32M_CHECK = 1, 0x2BC830A3
_TRON, _P2PKH, _P2SH = 0x41, 0x00, 0x05


def is_tron(address: str) -> bool:
    """34 characters from `T`: 21 bytes of which the first is 0x41."""
    decoded = _base58check(address)
    return decoded is not None and decoded[0] == _TRON


def is_bitcoin(address: str) -> bool:
    """Pay to key hash or to script hash, or a witness program of any version. Main network only."""
    decoded = _base58check(address)
    if decoded is not None:
        return decoded[0] in (_P2PKH, _P2SH)
    return _is_segwit(address)


def canonical(address: str) -> str:
    """The canonical form: bech32 in lower case, everything else unchanged."""
    return address.lower() if address.lower().startswith("bc1") else address


def _base58check(text: str) -> bytes | None:
    """The 21 bytes that the text encodes, if the checksum is right."""
    if not 25 <= len(text) <= 35 or any(character not in _BASE58 for character in text):
        return None
    number = 0
    for character in text:
        number = number * 58 + _BASE58.index(character)
    zeros = len(text) - len(text.lstrip("1"))
    raw = bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8)
    payload, checksum = raw[:-4], raw[-4:]
    if len(raw) != 25 or hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4] != checksum:
        return None
    return payload


def _is_segwit(address: str) -> bool:
    """All in one case, at most 90 characters, with the checksum of its version."""
    if not address.isascii() or address not in (address.lower(), address.upper()):
        return False
    prefix, _, data = address.lower().rpartition("1")
    if prefix != "bc" or not 8 <= len(data) <= 87 or any(character not in _BECH32 for character in data):
        return False
    values = [_BECH32.index(character) for character in data]
    version = values[0]
    check = _BECH32_CHECK if version == 0 else _BECH32M_CHECK
    if version > 16 or _polymod([3, 3, 0, 2, 3, *values]) != check:  # the prefix, expanded
        return False
    program = _bytes_of(values[1:-6])
    if program is None or not 2 <= len(program) <= 40:
        return False
    return version != 0 or len(program) in (20, 32)


def _polymod(values: list[int]) -> int:
    checksum = 1
    for value in values:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value
        for place, part in enumerate(_GENERATOR):
            checksum ^= part if top >> place & 1 else 0
    return checksum


def _bytes_of(values: list[int]) -> bytes | None:
    """Groups of five bits as bytes; the padding must be zeros, fewer than five."""
    number, bits = 0, 0
    for value in values:
        number, bits = number << 5 | value, bits + 5
    rest = bits % 8
    if rest >= 5 or number & ((1 << rest) - 1):
        return None
    return (number >> rest).to_bytes(bits // 8)
