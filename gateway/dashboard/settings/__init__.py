"""The company's own data, and the terms that apply to it."""
