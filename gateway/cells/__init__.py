"""Cells: schemas in which merchants live, so that no single primary has to carry all of them.

Where each table lives, how a cell is made, and which one a merchant gets. `accounts.base.cells` opens one.
"""
