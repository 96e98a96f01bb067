"""The staff start page: state of the service and of all money."""
