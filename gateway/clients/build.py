"""Each library, generated and packed from the OpenAPI document of this tree."""

import tomllib
from pathlib import Path

from gateway.api.openapi.document import document
from gateway.clients import node_code, packages, python_code


def version() -> str:
    """The libraries have the version of the service that they are made from."""
    project = Path(__file__).parents[2] / "pyproject.toml"
    return str(tomllib.loads(project.read_text())["project"]["version"])


def python() -> None:
    """`onpay`."""
    python_code.write(document(), version())
    packages.pack_python()


def node() -> None:
    """`@onpay/node` and `@onpay/card-js`; needs Node.js."""
    node_code.write(document(), version())
    packages.pack_node(version())
