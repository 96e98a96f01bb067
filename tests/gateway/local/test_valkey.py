"""The embedded Valkey starts, whatever the last one left behind."""

import os
import signal
import subprocess

import redis

from gateway.local.valkey import Valkey


def test_a_second_start_finds_the_first_server(valkey: Valkey) -> None:
    second = Valkey(valkey.folder, durable=True)

    second.start()

    assert second.child is None
    assert second.pid() == valkey.pid()


def test_a_killed_server_comes_back_with_its_messages(valkey: Valkey) -> None:
    with redis.Redis.from_url(valkey.cache_url) as client:
        client.set("kept", "42")
    valkey.signal(signal.SIGKILL)

    valkey.start()

    with redis.Redis.from_url(valkey.cache_url) as client:
        assert client.get("kept") == b"42"


def test_a_strangers_process_id_and_a_dead_socket_are_forgotten(valkey: Valkey) -> None:
    valkey.signal(signal.SIGKILL)
    assert valkey.child
    valkey.child.wait()
    stranger = subprocess.Popen(["sleep", "60"])
    pid_file, socket = valkey.leftovers()
    pid_file.write_text(f"{stranger.pid}\n")
    assert socket.exists()

    valkey.start()
    alive = stranger.poll() is None
    stranger.kill()
    stranger.wait()

    assert alive
    assert valkey.ready()


def test_nobody_else_can_reach_it(valkey: Valkey) -> None:
    assert [os.stat(path).st_mode & 0o077 for path in (valkey.folder, valkey.sockets, valkey.socket_path)] == [0] * 3


def test_it_stops(valkey: Valkey) -> None:
    valkey.stop()

    assert not valkey.alive()
    assert not valkey.ready()
