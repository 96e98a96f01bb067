"""The client libraries, made from the OpenAPI document by `make sdk`. The service imports nothing of them."""
