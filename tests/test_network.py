"""The guard in conftest.py: a test that would use the network fails, one that talks to itself does not."""

import socket

import pytest


def test_other_machines_cannot_be_reached() -> None:
    with pytest.raises(RuntimeError, match="example\\.org"):
        socket.create_connection(("example.org", 80), timeout=1)
    with socket.socket() as client, pytest.raises(RuntimeError, match=r"192\.0\.2\.1"):
        client.connect(("192.0.2.1", 80))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client, pytest.raises(RuntimeError, match=r"192\.0\.2\.1"):
        client.sendto(b"?", ("192.0.2.1", 53))


def test_this_machine_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname(), timeout=5) as client:
            client.sendall(b"here")
        accepted, _ = server.accept()
        with accepted:
            assert accepted.recv(4) == b"here"
