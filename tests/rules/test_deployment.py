"""compose.yaml, deploy/systemd and deploy/kubernetes run the same processes, and are valid."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SYSTEMD, KUBERNETES = ROOT / "deploy" / "systemd", ROOT / "deploy" / "kubernetes"
VERSION = "1.34"
OTHERS = ("postgres", "valkey", "proxy", "migrate")
PLACE = re.compile(r" ?--(?:host|port) \S+| --without-state| -n \S+")
MANIFESTS = sorted(path for path in KUBERNETES.glob("*.yaml") if path.stem != "kustomization")


def resources() -> list[dict[str, Any]]:
    return [one for path in MANIFESTS for one in yaml.safe_load_all(path.read_text())]


def containers() -> list[dict[str, Any]]:
    deployments = (one for one in resources() if one["kind"] == "Deployment")
    return [container for one in deployments for container in one["spec"]["template"]["spec"]["containers"]]


def of_compose() -> set[str]:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    commands = {name: one.get("command") for name, one in services.items() if name not in OTHERS}
    return {plain(" ".join(command)) if command else "-m gateway.serving" for command in commands.values()}


def of_systemd() -> set[str]:
    target = (SYSTEMD / "onpay.target").read_text()
    found = set()
    for unit, instance in re.findall(r"(onpay-[\w-]+@?)(\w*)\.service", target):
        [command] = re.findall(r"^ExecStart=(.*)", (SYSTEMD / f"{unit}.service").read_text(), re.M)
        found.add(plain(re.sub(r".*/bin/python ", "", command).replace("%i", instance)))
    return found


def plain(command: str) -> str:
    """Without interpreter, addresses and what only one host needs."""
    return PLACE.sub("", re.sub(r"^python |^-m (?=celery)", "", command)).strip()


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_a_manifest_is_valid(path: Path) -> None:
    found = list(yaml.safe_load_all(path.read_text()))

    assert found
    for one in found:
        kubernetes_validate.validate(one, VERSION, strict=True)


def test_all_three_run_the_same_processes() -> None:
    of_kubernetes = {plain(" ".join(one["command"])) for one in containers()}

    assert of_compose() == of_systemd() == of_kubernetes
    assert len(of_compose()) > 5


def test_what_a_kustomization_or_a_pod_names_is_there() -> None:
    named = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text())["resources"]
    example = re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.M)
    [settings] = [one["data"] for one in resources() if one["kind"] == "ConfigMap"]

    assert set(named) == {path.name for path in MANIFESTS}
    assert set(settings) <= set(example)
    assert {one["image"] for one in containers()} == {"onpay-gateway"}
    assert all(one["securityContext"]["readOnlyRootFilesystem"] for one in containers())


def test_a_worker_that_is_stopped_finishes_what_it_has_in_hand() -> None:
    """Unless it is told otherwise systemd tells all processes of a unit to end, and each restart kills tasks."""
    workers = [text for path in SYSTEMD.glob("*.service") if " worker " in (text := path.read_text())]
    assert workers
    for text in workers:
        assert "KillMode=mixed" in text.splitlines()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
def test_the_units_are_valid(tmp_path: Path) -> None:
    """With an interpreter and a folder that this machine has."""
    for path in SYSTEMD.iterdir():
        text = path.read_text().replace("/opt/onpay/.venv/bin/python", "/bin/true").replace("/opt/onpay", "/tmp")
        (tmp_path / path.name).write_text(text)
    units = [str(tmp_path / name) for name in ("onpay.target", "onpay-migrate.service")]
    command = ["systemd-analyze", "verify", "--man=no", *units]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (checked.returncode, checked.stderr) == (0, "")
