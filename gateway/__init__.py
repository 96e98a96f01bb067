"""The project (its files) and the product (its folders)."""
