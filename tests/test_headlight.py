"""The command `headlight`: what it is told, what it refuses, and that it starts and ends from any folder."""

import os
import runpy
import shlex
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
from encoder.atlas.build import one_step
from encoder.atlas.names import BETWEEN_WORDS
from encoder.atlas.plan import model_checksum
from encoder.atlas.reader import atlas_of_weights
from encoder.catalogue import load
from encoder.errors import LaunchError
from viz import launch, permitted
from viz.claims import check
from viz.commands import COMMANDS, PAGE_EXAMPLES, parser
from viz.state.address import from_query
from viz.tours.shipped import path_of

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
    monkeypatch.setattr(headlight, "serve", lambda place: served.append(place.port))
    monkeypatch.setattr(headlight, "_announce", lambda place, address, opens: served.append((address, opens)))
    return served


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command notes its options in the environment, which is restored."""
    names = (permitted.VARIABLE, permitted.PASSWORD_FILE, permitted.FRAMES, launch.XSRF, launch.ATLASES, launch.DEVICE)
    names += (launch.METRICS,)
    for name in names:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


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
    monkeypatch.setattr(headlight, "wait_for_server", lambda place: place.port == 1)
    headlight._announce(launch.Place(port=2), "http://127.0.0.1:2/", True)
    assert (opened, capsys.readouterr().out) == ([], "")
    headlight._announce(launch.Place(port=1), "http://127.0.0.1:1/", True)
    assert opened == ["http://127.0.0.1:1/"]
    headlight._announce(launch.Place(port=1), "http://127.0.0.1:1/", False)
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
        (["--a", "word " * 2000], "The sentences are too long for a link"),
        (["--base-path", "a b"], "'a b' is no path: use letters, digits and “-”"),
        (["--base-path", "/a/../b"], "'/a/../b' is no path"),
        (["--models", "./not-there"], "There is no folder './not-there'."),
        (["--password-file", "./not-there"], "The file of the password cannot be read: "),
        (["--password-file", os.devnull], "The file of the password is empty: "),
        (["--frames", "https://a.example/x"], "'https://a.example/x' is no site that could frame the page"),
        (["--frames", "https://a.example; script-src *"], "'https://a.example;' is no site"),
        (["--atlas", "./not-there"], "There is no folder './not-there'."),
        (["--atlas", "docs"], "'docs' holds no atlas: “headlight atlas MODEL CORPUS” builds one."),
        (["--metrics", "here"], "'here' is no place for metrics: use a port, or an address and a port"),
        (["--port", "8600", "--metrics", "8600"], "The page is at port 8600: choose another one for --metrics."),
        (["--device", "tpu"], "'tpu' is not a device: use cpu, cuda, cuda:1 or mps."),
        (["--device", "cuda:99"], "There is no device 'cuda:99' here"),
        (["--host", "0.0.0.0", "--model", "./docs"], "'./docs' is not offered to visitors, who open what ships"),
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


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_has_every_option_and_examples_that_are_read(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = command.split()
    with pytest.raises(SystemExit) as ended:
        headlight.main([*words, "--help"])
    said = capsys.readouterr().out
    assert ended.value.code == 0
    assert all(line in said for line in (COMMANDS[command].examples if command else PAGE_EXAMPLES))
    assert command or all(f"    {name} " in said and name in said.partition("examples:")[2] for name in COMMANDS)
    assert "==SUPPRESS==" not in said
    for line in COMMANDS[command].examples if command else PAGE_EXAMPLES:
        _, *given = shlex.split(line)
        parser(given).parse_args(given)


def test_a_shell_completes_the_command_and_its_options(tmp_path: Path) -> None:
    def completed(line: str) -> set[str]:
        variables = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line))}
        variables |= {"_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "said"), "_ARGCOMPLETE_IFS": " "}
        command = [sys.executable, "-X", "importtime", "-m", "headlight"]
        ran = subprocess.run(command, cwd=ROOT, env=os.environ | variables, capture_output=True, check=False)
        assert b" torch\n" not in ran.stderr
        return set((tmp_path / "said").read_text(encoding="utf-8").split())

    assert completed("headlight a") == {"atlas", "attend"}
    assert completed("headlight why --method d") == {"decompx"}


def test_a_port_that_is_taken_is_refused_and_none_is_looked_for(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LaunchError, match=f"Port {taken} cannot be used: choose another one, or none"):
        launch.choose_port(taken)
    monkeypatch.setattr(launch, "PORT", taken)
    assert launch.choose_port() != taken


def test_a_folder_is_named_as_seen_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my-bert").mkdir()
    monkeypatch.chdir(tmp_path)
    for name, shown in (("my-bert", tmp_path / "my-bert"), ("scratch-bert:./my-bert", tmp_path / "my-bert")):
        query = parse_qs(urlsplit(launch.page_address(launch.Place(port=1), model=name)).query)
        assert query["model"] == [f"scratch-bert:{shown}" if ":" in name else str(shown)]


def test_an_address_of_another_computer_is_refused(
    monkeypatch: pytest.MonkeyPatch, served: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    def cannot(host: str, port: int) -> socket.socket:
        raise OSError(f"{host} cannot be assigned")

    monkeypatch.setattr(launch, "_bind", cannot)
    assert headlight.main(["--host", "192.0.2.1"]) == 2
    assert capsys.readouterr().err.startswith("headlight: '192.0.2.1' is no address of this computer: choose 127.0.0.1")
    assert served == []


def test_options_of_the_server_are_noted_for_the_page(
    tmp_path: Path, served: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "models" / "my-bert").mkdir(parents=True)
    (tmp_path / "models" / "my-bert" / "config.json").write_text("{}", encoding="utf-8")
    (tmp_path / "atlases" / "my-bert").mkdir(parents=True)
    (tmp_path / "atlases" / "my-bert" / "cards.json").write_text("{}", encoding="utf-8")
    (tmp_path / "password.txt").write_text("open sesame\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    options = ["--models", "models", "--password-file", "password.txt", "--atlas", "atlases", "--device", "cpu"]
    options += ["--frames", "https://*.hf.space http://a.example:8080", "--metrics"]
    assert headlight.main([*options, "--model", "my-bert"]) == 0
    address = next(each[0] for each in served if isinstance(each, tuple))
    assert parse_qs(urlsplit(address).query)["model"] == ["my-bert"]
    assert os.environ[permitted.VARIABLE] == str(tmp_path / "models")
    assert os.environ[permitted.PASSWORD_FILE] == str(tmp_path / "password.txt")
    assert os.environ[launch.ATLASES] == str(tmp_path / "atlases")
    assert os.environ[launch.DEVICE] == "cpu"
    assert launch.metrics_place(os.environ[launch.METRICS]) == (launch.HOST, int(launch.METRICS_PORT))
    assert permitted.framing_sites() == ("https://*.hf.space", "http://a.example:8080")
    assert os.environ[launch.XSRF] == "none"


@pytest.mark.parametrize("variable", [launch.METRICS, permitted.PASSWORD_FILE, permitted.FRAMES])
def test_a_server_without_the_command_refuses_the_same_in_one_sentence(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "nothing of the kind")
    with pytest.raises(SystemExit, match=r"^headlight: .*'nothing"):
        runpy.run_path(str(launch.APP))


def test_a_model_in_place_of_a_folder_of_models_is_refused(
    tmp_path: Path, served: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    assert headlight.main(["--models", str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith("is a model itself: name the folder that it is in.\n")
    assert served == []


def test_without_options_of_the_server_nothing_is_noted(served: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(launch.DEVICE, "cpu")
    assert headlight.main([]) == 0
    assert os.environ[launch.DEVICE] == "cpu"
    assert not {permitted.VARIABLE, permitted.PASSWORD_FILE, launch.ATLASES} & set(os.environ)


@pytest.mark.parametrize("has_password", [False, True])
def test_it_says_who_can_reach_a_page_that_is_served_to_others(
    has_password: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if has_password:
        monkeypatch.setenv(permitted.PASSWORD_FILE, "a file")
    monkeypatch.setattr(headlight, "wait_for_server", lambda place: True)
    place = launch.Place(port=8600, host="0.0.0.0", base_path="tools")
    headlight._announce(place, launch.page_address(place), False)
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == "Headlight is at http://127.0.0.1:8600/tools/"
    assert f"open it at http://{socket.gethostname()}:8600/tools/" in second
    assert ("nobody has to sign in" in second) != has_password
    assert ("knows the password" in second) == has_password


@pytest.mark.parametrize(
    ("host", "url", "is_shared"),
    [
        ("127.0.0.1", "http://127.0.0.1:1/", False),
        ("localhost", "http://127.0.0.1:1/", False),
        ("::1", "http://[::1]:1/", False),
        ("10.0.0.7", "http://10.0.0.7:1/", True),
    ],
)
def test_the_address_of_the_page_follows_the_host(host: str, url: str, is_shared: bool) -> None:
    place = launch.Place(port=1, host=host)
    assert (place.url, place.is_shared) == (url, is_shared)
    assert not is_shared or place.shared_url == url


def test_a_server_that_never_answers_is_not_waited_for_for_ever(taken: int) -> None:
    assert not launch.wait_for_server(launch.Place(port=taken), seconds=0.3)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no interrupt to send to another process")
def test_it_serves_from_any_folder_and_ends_cleanly_when_interrupted(tmp_path: Path) -> None:
    port = launch.free_port()
    command = [sys.executable, "-m", "headlight", "--no-browser", "--port", str(port), "--a", "time flies"]
    command += ["--base-path", "/tools/"]
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
        assert f"Headlight is at http://127.0.0.1:{port}/tools/?a=time+flies&mode=separate\n" in said
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/tools/", timeout=30) as page:
            assert page.status == 200
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    assert (process.returncode, said) == (launch.INTERRUPTED, "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no interrupt to send to another process")
def test_an_interrupt_while_it_starts_ends_it_cleanly() -> None:
    """Streamlit's command line would end with “Aborted!”."""
    interrupted = "import os, runpy, signal; runpy.run_module = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT); "
    command = [sys.executable, "-c", f"{interrupted}from viz.launch import Place, serve; serve(Place(port=0))"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout + ended.stderr) == (launch.INTERRUPTED, "")


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory, bundled_folder: Path) -> Path:
    from transformers import AutoTokenizer

    from tests.encoder.random_models import BERT_SIZES, build, save

    tokenizer = AutoTokenizer.from_pretrained(bundled_folder)
    model = build("BertModel", "BertConfig", **BERT_SIZES, vocab_size=len(tokenizer))
    return save(model, tmp_path_factory.mktemp("checked") / "my-bert", tokenizer)


def test_claims_test_a_model_in_a_folder(
    model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tour = tmp_path / "tour.md"
    text = "# T\n\n## S\n\n```yaml\na: time flies\nb: ''\nclaims:\n- norm(layer=0, \"time\") > {}\n```\n"
    tour.write_text(text.format(0), encoding="utf-8")
    assert headlight.main(["check", str(tour), "--model", str(model_folder)]) == 0
    assert "✓ norm" in capsys.readouterr().out
    tour.write_text(text.format(10_000), encoding="utf-8")
    assert headlight.main(["check", str(tour), "--model", str(model_folder)]) == 1
    assert "✗ norm" in capsys.readouterr().out
    assert headlight.main(["check", str(tour), "--model", str(tmp_path / "none")]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert "There is no folder" in printed.err
    assert headlight.main(["check"]) == 2
    assert capsys.readouterr().err == "Name a tour, or a model with --model.\n"
    for ignored in ([str(tour), "--json"], ["--model", str(model_folder), "--writer", "seq2seq"]):
        assert headlight.main(["check", *ignored]) == 2
        assert "--json is for a model without a tour, and --writer for a tour." in capsys.readouterr().err


def test_a_shipped_tour_is_checked_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[Path] = []
    monkeypatch.setattr(check, "_check_file", lambda path, model, writer: checked.append(path) or True)
    assert headlight.main(["check", "time-flies", "mine.md"]) == 0
    assert checked == [path_of("time-flies"), Path("mine.md")]


def test_an_atlas_is_built_and_opened_in_one_step(
    model_folder: Path,
    tmp_path: Path,
    served: list[object],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(one_step, "usable_cores", lambda: 1)  # no processes are started
    corpus, out = tmp_path / "reviews.csv", tmp_path / "atlases"
    rows = [f'{at},"A film, number {at},\nthat I liked a lot.",positive' for at in range(300)]
    corpus.write_text("\n".join(["id,text,label", *rows]), encoding="utf-8")
    command = ["atlas", str(model_folder), str(corpus), "--out", str(out)]
    prose = tmp_path / "prose.txt"
    prose.write_text("A film.", encoding="utf-8")
    assert headlight.main(["atlas", str(model_folder), str(prose), "--column", "text"]) == 2
    assert "No file has columns, so none is called 'text'" in capsys.readouterr().err
    assert headlight.main(command) == 2
    assert capsys.readouterr().err == (
        "headlight atlas: reviews.csv is a table with the columns id, text, label: which column holds the sentences? "
        "Name it with --column.\n"
    )
    assert headlight.main([*command, "--column", "txt"]) == 2
    assert "columns id, text, label: none is called 'txt'" in capsys.readouterr().err
    assert not out.exists()

    assert headlight.main([*command, "--column", "text"]) == 0
    (folder,) = out.iterdir()
    said = capsys.readouterr().out
    assert said == f"The atlas is in {folder}. To open it: headlight --model {model_folder} --atlas {out}\n"
    address = next(each[0] for each in served if isinstance(each, tuple))
    assert parse_qs(urlsplit(address).query)["model"] == [str(model_folder)]
    assert os.environ[launch.ATLASES] == str(out)
    atlas = atlas_of_weights(model_checksum(load(model_folder)), out)
    assert (atlas.measured_on, atlas.chosen_on) == ("half of reviews.csv", "the other half")
    (words, *_) = atlas.texts([0])["words"].to_pylist()
    assert words.split(BETWEEN_WORDS)[:3] == ["A", "film", ","]
    assert "positive" not in words


def test_an_atlas_can_be_built_without_opening_it(
    served: list[object], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(one_step, "build_and_ship", lambda model, corpus, out, *, column: out / model)
    assert headlight.main(["atlas", "bundled", "a.txt", "b.txt", "--no-open"]) == 0
    assert capsys.readouterr().out.endswith("To open it: headlight --model bundled --atlas atlases\n")
    assert served == []


def test_an_interrupted_atlas_says_how_to_continue(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(one_step, "build_and_ship", interrupted)
    assert headlight.main(["atlas", "bundled", "a.txt"]) == launch.INTERRUPTED
    assert capsys.readouterr().err.endswith("the same command continues.\n")


def test_a_command_whose_packages_are_missing_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setattr(headlight, "_build_atlas", lambda _: __import__("scipy"))
    assert headlight.main(["atlas", "bundled", "a.txt"]) == 2
    assert capsys.readouterr().err.endswith('pip install "headlight[atlas]".\n')
