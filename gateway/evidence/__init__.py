"""Evidence packs: what we know of a disputed payment as one PDF, and handing it in when nobody answers."""
