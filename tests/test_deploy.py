"""What stands in deploy/ names files and addresses that are there."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROXY = shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


def test_the_container_copies_what_is_there_and_all_that_the_app_imports() -> None:
    lines = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8").splitlines()
    copied = [name for line in lines if line.startswith("COPY ") for name in line.split()[1:-1]]
    assert {"app.py", "headlight.py", "pyproject.toml", "requirements.txt", ".streamlit", "encoder", "viz"} <= {*copied}
    assert all((ROOT / name).exists() for name in copied)
    (command,) = [line for line in lines if line.startswith("CMD ")]
    assert "--server.port=8501" in command
    assert any(line == "EXPOSE 8501" for line in lines)


def test_every_copy_of_the_proxy_has_a_cookie_of_its_own() -> None:
    text = (ROOT / "deploy" / "haproxy.cfg").read_text(encoding="utf-8")
    servers = re.findall(
        r'^ +server (\w+) "\$\{HEADLIGHT_(\w+)-127\.0\.0\.1:(\d+)\}" cookie (\w+)$', text, re.MULTILINE
    )
    assert [(name, variable.lower(), cookie) for name, variable, _, cookie in servers] == [
        (name, name, name) for name in ("one", "two")
    ]
    assert len({port for _, _, port, _ in servers}) == 2


@pytest.mark.skipif(PROXY is None, reason="haproxy is not installed")
def test_the_proxy_accepts_its_configuration() -> None:
    command = [str(PROXY), "-c", "-f", "deploy/haproxy.cfg"]
    checked = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    assert "warning" not in checked.stderr.lower()
