"""The command `headlight`: what it is told, what it refuses, and that it starts and ends from any folder."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest

import headlight
from encoder.errors import LaunchError
from viz import launch
from viz.state.address import from_query

ROOT = Path(__file__).parents[1]


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind((launch.HOST, 0))
        listener.listen()
        yield listener.getsockname()[1]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The ports that were served and the addresses that were opened, in place of a server and a browser."""
    served: list[object] = []
    monkeypatch.setattr(headlight, "serve", served.append)
    monkeypatch.setattr(headlight, "_announce", lambda port, address, opens: served.append((address, opens)))
    return served


def test_the_options_are_in_the_address(served: list[object], capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--a", "time & tide", "--b", "", "--model", "scratch", "--tour", "flies", "--no-browser"]
    assert headlight.main(options) == 0
    assert capsys.readouterr().err == ""
    (address, opens), port = sorted(served, key=lambda each: isinstance(each, int))
    assert not opens
    assert urlsplit(address).port == port
    query = parse_qs(urlsplit(address).query, keep_blank_values=True)
    assert query == {"a": ["time & tide"], "b": [""], "model": ["scratch"], "tour": ["flies"]}


@pytest.mark.parametrize("options", [["--a", "time flies", "--b", "fruit flies"], ["--model", "scratch"]], ids=str)
def test_the_page_opens_with_the_sentences_encoded_separately(options: list[str], served: list[object]) -> None:
    assert headlight.main(options) == 0
    address = next(each[0] for each in served if isinstance(each, tuple))
    selection, problems = from_query(dict(parse_qsl(urlsplit(address).query)))
    assert (len(selection.runs), problems) == (2, ())


def test_bytes_that_stand_for_no_character_are_replaced(served: list[object]) -> None:
    """As a terminal hands them on where a text is written in another encoding."""
    assert headlight.main(["--a", "caf\udce9", "--tour", "fl\udcefes"]) == 0
    address = next(each[0] for each in served if isinstance(each, tuple))
    assert parse_qs(urlsplit(address).query) == {"a": ["caf\ufffd"], "tour": ["fl\ufffdes"]}


def test_without_options_the_page_is_opened_as_it_is(served: list[object]) -> None:
    assert headlight.main([]) == 0
    (address, opens), port = sorted(served, key=lambda each: isinstance(each, int))
    assert (address, opens) == (f"http://127.0.0.1:{port}/", True)


def test_the_page_is_opened_when_it_answers_and_not_before(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(headlight.webbrowser, "open", opened.append)
    monkeypatch.setattr(headlight, "wait_for_server", lambda port: port == 1)
    headlight._announce(2, "http://127.0.0.1:2/", True)
    assert (opened, capsys.readouterr().out) == ([], "")
    headlight._announce(1, "http://127.0.0.1:1/", True)
    assert opened == ["http://127.0.0.1:1/"]
    headlight._announce(1, "http://127.0.0.1:1/", False)
    assert len(opened) == 1
    assert capsys.readouterr().out.count("Headlight is at http://127.0.0.1:1/\n") == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--port", "0"], "0 is no port: choose a number from 1 to 65535."),
        (["--port", "70000"], "70000 is no port: choose a number from 1 to 65535."),
        (["--model", "./not-there"], "There is no folder './not-there'."),
        (["--model", "README.md"], "'README.md' is a file: name the folder that a model is in."),
        (["--model", "two words"], "'two words' names no model: it is neither one that Headlight has"),
        (["--model", "//host/share"], "'//host/share' is a place on the network"),
        (["--model", "seq2seq"], "'seq2seq' is an encoder-decoder"),
        (["--model", "a\x07"], r"'a\x07' names no model."),
        (["--a", " "], "Sentence A is empty: write a sentence"),
        (["--a", "word " * 2000], "The sentences are too long for an address"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused_in_one_sentence(
    options: list[str], message: str, served: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert headlight.main(options) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"headlight: {message}")
    assert said.count("\n") == 1
    assert served == []


@pytest.mark.parametrize("options", [["--port", "x"], ["--bogus"], ["--port"], ["flies"]], ids=str)
def test_what_is_no_option_is_refused_in_one_line(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        headlight.main(options)
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith("“headlight --help” lists all options.\n")


def test_help_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        headlight.main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    for option in ("--a TEXT", "--b TEXT", "--model NAME", "--tour NAME", "--port N", "--no-browser", "examples:"):
        assert option in text


def test_a_port_that_is_taken_is_refused_and_none_is_looked_for(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LaunchError, match=f"Port {taken} cannot be used: choose another one, or none"):
        launch.choose_port(taken)
    monkeypatch.setattr(launch, "PORT", taken)
    assert launch.choose_port() != taken


def test_a_folder_is_named_as_seen_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my-bert").mkdir()
    monkeypatch.chdir(tmp_path)
    for name, shown in (("my-bert", tmp_path / "my-bert"), ("scratch-bert:./my-bert", tmp_path / "my-bert")):
        query = parse_qs(urlsplit(launch.page_address(1, model=name)).query)
        assert query["model"] == [f"scratch-bert:{shown}" if ":" in name else str(shown)]


def test_a_server_that_never_answers_is_not_waited_for_for_ever(taken: int) -> None:
    assert not launch.wait_for_server(taken, seconds=0.3)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no interrupt to send to another process")
def test_it_serves_from_any_folder_and_ends_cleanly_when_interrupted(tmp_path: Path) -> None:
    port = launch.free_port()
    command = [sys.executable, "-m", "headlight", "--no-browser", "--port", str(port), "--a", "time flies"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout
        said = ""
        while "Ctrl+C ends it." not in said:
            line = process.stdout.readline()
            assert line, said
            said += line
        assert f"Headlight is at http://127.0.0.1:{port}/?a=time+flies&mode=separate\n" in said
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30) as page:
            assert page.status == 200
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    assert (process.returncode, said) == (launch.INTERRUPTED, "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no interrupt to send to another process")
def test_an_interrupt_while_it_starts_ends_it_cleanly() -> None:
    """Streamlit's command line would end with “Aborted!”."""
    interrupted = "import os, runpy, signal; runpy.run_module = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT); "
    command = [sys.executable, "-c", f"{interrupted}from viz.launch import serve; serve(0)"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout + ended.stderr) == (launch.INTERRUPTED, "")
