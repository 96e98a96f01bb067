"""The upgrade from 0.2.0 under load, and the way back: `make upgrade`."""
