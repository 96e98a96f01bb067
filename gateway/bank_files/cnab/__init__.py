"""Brazil's CNAB files: lines of 240 or 400 characters, by FEBRABAN's layouts and the dialects of banks.

Layouts are data: `data/*.toml` says where a field begins and ends, counted from 1 as in the banks' manuals.
"""
