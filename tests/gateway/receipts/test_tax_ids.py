"""How much of a document a receipt tells."""

import pytest

from gateway.receipts.tax_ids import masked, written

TABLE = [
    # kind     document              written                 masked
    ("CPF",  "52998224725",        "529.982.247-25",       "***.982.247-**"),
    ("CNPJ", "11222333000181",     "11.222.333/0001-81",   "**.222.333/****-**"),
    ("CNPJ", "12ABC34501DE35",     "12.ABC.345/01DE-35",   "**.ABC.345/****-**"),
    ("CUIT", "20123456786",        "20-12345678-6",        "**-**345***-*"),
    ("CUIL", "27123456780",        "27-12345678-0",        "**-**345***-*"),
    (None,   "20123456786",        "20123456786",          "****345****"),
    ("RFC",  "GODE561231GR8",      "GODE561231GR8",        "*****612*****"),
    ("RFC",  "ABC010203AB1",       "ABC010203AB1",         "****102*****"),
    ("CURP", "GODE561231HDFRRL09", "GODE561231HDFRRL09",   "*******231********"),
    ("NIF",  "123456789",          "123456789",            "***456***"),
    ("CC",   "1020304050",         "1020304050",           "***030****"),
    ("CC",   "123456",             "123456",               "**34**"),
    ("PP",   "AB1",                "AB1",                  "*B*"),
    ("PP",   "A1",                 "A1",                   "**"),
    ("PP",   "A",                  "A",                    "*"),
    ("CPF",  "123",                "123",                  "*2*"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "document", "on_paper", "told"), TABLE)
def test_a_document_is_written_and_masked_like_this(kind: str | None, document: str, on_paper: str, told: str) -> None:
    assert written(document, kind) == on_paper
    assert masked(document, kind) == told
