"""The long forms of the tests: `make nightly`."""
