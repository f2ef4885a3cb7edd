"""The benchmark's own parts: what it compares, how it counts, and what it writes."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from bench import report
from bench.bertviz import draw, offline
from bench.forward import output_bytes, trace_bytes
from bench.machine import machine
from bench.measure import Row, alternate, compare, timed
from bench.server import memory_in
from bench.textbook import TextbookEncoder
from bench.texts import Texts
from bench.views import reason
from encoder import Backend
from encoder.transformer.config import PRESETS
from encoder.transformer.encoder import Encoder

README = Path(__file__).parents[1] / "README.md"


def row(**changes: object) -> Row:
    return Row(**({"part": "P", "what": "w", "ours": 30.0, "other": 20.0} | changes))  # type: ignore[arg-type]


def test_variants_run_in_turn_and_every_second_round_backwards() -> None:
    calls: list[str] = []

    def variant(name: str) -> float:
        calls.append(name)
        return float(len(calls))

    times = alternate({"a": lambda: variant("a"), "b": lambda: variant("b")}, 3)
    assert "".join(calls) == "baabbaab"  # the first round warms up
    assert times == {"a": [3.0, 6.0, 7.0], "b": [4.0, 5.0, 8.0]}


def test_time_ends_before_the_result_is_dropped() -> None:
    dropped: list[bool] = []

    class Result:
        def __del__(self) -> None:
            dropped.append(True)

    assert timed(Result)() >= 0
    assert dropped == [True]


def test_row_compares_medians_in_milliseconds() -> None:
    made = compare({"ours": [0.3, 0.1, 9.0], "other": [0.2, 0.1, 0.4]}, "ours", "other", part="P", what="w", tokens=16)
    assert (made.ours, made.other, made.n) == (pytest.approx(300), pytest.approx(200), 3)
    assert made.value == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("changes", "value", "met"),
    [
        ({"target": "≤ 1.5"}, 1.5, True),
        ({"target": "≤ 1.4"}, 1.5, False),
        ({"target": "≥ 10", "judged_by": "inverse", "ours": 2.0}, 10.0, True),
        ({"target": "< 17", "judged_by": "ours"}, 30.0, False),
        ({"target": "≥ 10", "judged_by": "inverse", "other": None}, None, None),
        ({"target": "≤ 1.5", "ours": None}, None, None),
        ({}, 1.5, None),
    ],
)
def test_target_is_held_against_the_figure_it_is_for(
    changes: dict[str, object], value: float | None, met: bool | None
) -> None:
    made = row(**changes)
    assert made.value == (pytest.approx(value) if value else None)
    assert made.met is met


def test_line_says_ratio_target_and_verdict() -> None:
    assert report.cells(row(tokens=512, target="≤ 1.6", n=7)) == (
        *("w", "512", "30.0", "20.0", "ms", "7", "1.50", "≤ 1.6", "yes"),
    )
    assert report.cells(row(judged_by="inverse", ours=2.0, target="≥ 50"))[-3:] == ("10.0 ×", "≥ 50", "**no**")


def test_line_without_a_figure_says_so() -> None:
    line = report.cells(row(other=None, judged_by="inverse", note="does not: not painted within 120 s"))
    assert line[0] == "w (does not: not painted within 120 s)"
    assert line[3] == "does not"
    missing = report.cells(row(ours=None, other=None, target="≤ 1.6"))
    assert missing[2:4] == ("", "")
    assert missing[-1] == "not measured"


@pytest.mark.parametrize(("value", "text"), [(None, ""), (0.123, "0.12"), (12.34, "12.3"), (26934.6, "26,935")])
def test_numbers_have_three_digits_that_count(value: float | None, text: str) -> None:
    assert report.number(value) == text


def test_files_keep_what_is_not_measured_again(tmp_path: Path) -> None:
    first = report.part({"measured": "2026-01-02", "processor": "2 cores", "torch": "2.13.0"}, [row(part="One")])
    report.save(tmp_path, {"one": first})
    again = report.load(tmp_path)
    again["two"] = report.part({"measured": "2026-03-04", "processor": "2 cores"}, [row(part="Two", target="≤ 1.4")])
    report.save(tmp_path, again)
    assert json.loads((tmp_path / "results.json").read_text())["two"]["rows"][0]["met"] is False
    text = (tmp_path / "results.md").read_text()
    assert "## One" in text
    assert "Measured on 2026-01-02: 2 cores; torch 2.13.0." in text
    assert "| w |  | 30.0 | 20.0 | ms | 1 | 1.50 | ≤ 1.4 | **no** |" in text


def test_parts_of_each_instruction_set_stand_together_in_their_order() -> None:
    parts = {"load, AVX2": 1, "load": 2, "asking, AVX2": 3, "gone": 4}
    assert list(report.ordered(parts, ["asking", "load"])) == ["asking, AVX2", "load, AVX2", "load"]


def test_a_heading_names_the_instruction_set(tmp_path: Path) -> None:
    part = report.part({"measured": "2026-01-02", "processor": "2 cores", "instructions": "AVX2"}, [row(part="One")])
    report.save(tmp_path, {"one, AVX2": part})
    assert "## One, AVX2\n" in (tmp_path / "results.md").read_text(encoding="utf-8")


def test_machine_is_described_without_paths() -> None:
    described = " ".join(machine("140.0").values())
    assert str(Path.home()) not in described
    assert "/" not in described


def test_texts_have_the_wanted_length_and_are_all_different(bundled: Backend) -> None:
    tokenizer = bundled.with_all_positions().tokenizer
    texts = Texts(README.read_text(encoding="utf-8"), tokenizer)
    for size in (16, 64, 512):
        some = [texts.new(size) for _ in range(5)]
        assert [len(tokenizer(text)) for text in some] == [size] * 5
        assert all(sum(tokenizer(text).truncated) == 0 for text in some)
        assert len(set(some)) == 5


def test_bytes_of_a_trace_are_those_of_its_arrays(bundled: Backend) -> None:
    trace = bundled.trace("time flies")
    tokens, width, layers = len(trace.tokens), 384, 6
    vectors = 3 * layers + (layers + 1) + len(trace.embedding_parts)
    assert trace_bytes(trace) == 4 * tokens * width * vectors


def test_bytes_of_an_output_count_each_tensor_once() -> None:
    tensor = torch.zeros(10)
    assert output_bytes(SimpleNamespace()) == 0
    assert output_bytes({"a": tensor, "b": (tensor, torch.zeros(3)), "c": None}) == 4 * 13


def test_textbook_network_gives_the_numbers_of_ours() -> None:
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        torch.manual_seed(0)
        ours = Encoder(PRESETS["tiny"]).eval()
        ids = torch.randint(5, 1000, (2, 9))
        drift = (TextbookEncoder(ours).eval()(ids) - ours(ids).last_hidden_state).abs().max()
    assert float(drift) < 1e-5  # 1e-6 measured


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # BertViz leaves its script's file open
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("view", ["head view", "model view"])
def test_bertviz_document_is_its_own_and_asks_no_network(view: str) -> None:
    attention = [torch.tensor(np.full((1, 2, 3, 3), 1 / 3, dtype=np.float32))] * 2
    html = draw(view, attention, ["one", "two", "three"])
    assert html.count("0.3333") >= 36
    assert 'src="https' not in html
    assert "window.requirejs" in html


def test_only_the_scripts_of_a_cdn_are_replaced() -> None:
    html = offline('<script src="https://cdn.example/require.js"></script><p>kept</p>')
    assert html.endswith("<p>kept</p>")
    assert "cdn.example" not in html


def test_reason_why_bertviz_gives_up() -> None:
    assert "200 MB" in reason("MessageSizeError: Data of size 431 MB exceeds the message size limit of 200 MB")
    assert reason("Timeout 120000ms exceeded") == "not painted within 120 s"
    assert reason("Target crashed") == "the page crashed"


def test_resident_memory_is_read_in_megabytes() -> None:
    assert memory_in("Name:\tpython\nVmPeak:\t 9 kB\nVmRSS:\t 1000000 kB\n", "VmRSS") == pytest.approx(1024)
