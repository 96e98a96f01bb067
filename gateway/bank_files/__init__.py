"""Files that banks and we exchange: written and read here, as plain values. Nothing is stored, no money moves."""
