"""What the payers of the demo write when they ask for their money, in the language of the company's country."""

_LANGUAGES = {"BR": "pt", "PT": "pt", "MX": "es", "AR": "es", "CO": "es", "ES": "es"}
_STATEMENTS = {
    "not_arrived": {
        "en": "I have paid, and nothing has arrived.",
        "es": "Pagué y no llegó nada.",
        "pt": "Paguei e não chegou nada.",
    },
    "twice": {"en": "I was charged twice.", "es": "Me cobraron dos veces.", "pt": "Me cobraram duas vezes."},
    "color": {"en": "The color is wrong.", "es": "El color no es el que pedí.", "pt": "A cor não é a que pedi."},
    "scam": {
        "en": "The seller was not the one I know.",
        "es": "El vendedor no era el que conozco.",
        "pt": "O vendedor não era quem eu conheço.",
    },
    "unknown": {
        "en": "I do not know this shop.",
        "es": "No conozco esta tienda.",
        "pt": "Não conheço esta loja.",
    },
}


def statement(about: str, country: str) -> str:
    """The payer's words; in English where the demo has no others."""
    return _STATEMENTS[about][_LANGUAGES.get(country, "en")]
