"""Folders that something is wrong with: each passport says so, or the folder is refused; `folder_table` has sound ones.

`test_weight_report` and `test_folders` have those whose weights are at fault.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer as RustTokenizer

from encoder.errors import HeadlightError
from encoder.models import pretrained_points
from encoder.models.loading import load_folder
from encoder.text.tokenizer_file import PROBES
from tests.encoder.models.folder_table import ROWS, make_folder, with_pooling
from tests.encoder.models.test_passport import BYTES, CASED, SPLIT

Change = Callable[[Path], object]
KINDS = {row.name: row for row in ROWS}
NAMES = {"0": "no", "1": "maybe", "2": "yes"}
BARE = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}]}
BARE["single"] += [{"Sequence": {"id": "A", "type_id": 0}}]
BARE |= {"pair": [*BARE["single"], {"Sequence": {"id": "B", "type_id": 1}}]}
BARE |= {"special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]}}}
REPEATED = BARE | {"single": BARE["single"] * 20}


def edit(name: str, **changes: Any) -> Change:
    """Change settings of a file."""

    def change(folder: Path) -> None:
        path = folder / name
        settings = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps(settings | changes))

    return change


def tokenizer(class_name: str, settings: dict[str, Any] | None = None, **parts: Any) -> Change:
    """A class in tokenizer_config.json, and parts of tokenizer.json that its tokenizer does not have."""

    def change(folder: Path) -> None:
        edit("tokenizer_config.json", tokenizer_class=class_name, **settings or {})(folder)
        edit("tokenizer.json", **parts)(folder)

    return change


def module(kind: str) -> Change:
    """A module at the end of modules.json."""

    def change(folder: Path) -> None:
        with_pooling(folder)
        modules = json.loads((folder / "modules.json").read_text())
        modules.append({"idx": 9, "name": "9", "path": f"9_{kind}", "type": f"mine.{kind}"})
        (folder / "modules.json").write_text(json.dumps(modules))

    return change


OF_THE_FILE = "the file's tokenizer is used"
BERT, BYTE_LEVEL, CLS = "bert, 3 classes", "roberta", "sentence-transformers, [CLS]"
# A row of `folder_table`, what is done to its folder, and what is said: "Check: words" of a remark, or the refusal.
SABOTAGES: dict[str, tuple[str, Change, str]] = {
    "lowercased by its class": (BERT, tokenizer("BertTokenizer", normalizer=CASED), f"Tokens: {OF_THE_FILE}"),
    "no pre-tokenizer": (BERT, tokenizer("BertTokenizer", pre_tokenizer=None), f"Tokens: {OF_THE_FILE}"),
    "white space alone": (BERT, tokenizer("BertTokenizer", pre_tokenizer=SPLIT), f"Tokens: {OF_THE_FILE}"),
    "another class": (BERT, tokenizer("RobertaTokenizer"), f"Tokens: {OF_THE_FILE}"),
    "a class of another model": (BERT, tokenizer("AlbertTokenizer"), "Tokens: cannot build the tokenizer"),
    "a class of letters": (BERT, tokenizer("GPT2Tokenizer"), f"Tokens: {OF_THE_FILE}"),
    "no [SEP]": (BERT, tokenizer("BertTokenizer", post_processor=BARE), f"Tokens: {OF_THE_FILE}"),
    "settings against the file": (
        BERT,
        tokenizer("BertTokenizer", {"do_lower_case": True, "strip_accents": True}, normalizer=CASED),
        "Tokens: the settings are used",
    ),
    "a space before the text": (
        BYTE_LEVEL,
        tokenizer("RobertaTokenizer", pre_tokenizer=BYTES | {"add_prefix_space": True}),
        f"Tokens: {OF_THE_FILE}",
    ),
    "a normalizer that its class lacks": (
        BYTE_LEVEL,
        tokenizer("BartTokenizer", normalizer={"type": "Lowercase"}),
        f"Tokens: {OF_THE_FILE}",
    ),
    "bytes of bytes": (
        BERT,
        tokenizer("PreTrainedTokenizerFast", pre_tokenizer={"type": "Sequence", "pretokenizers": [BYTES] * 24}),
        "times as long",
    ),
    "steps without end": (
        BERT,
        tokenizer(
            "PreTrainedTokenizerFast", normalizer={"type": "Sequence", "normalizers": [{"type": "NFC"}] * 100_000}
        ),
        "100,000 steps",
    ),
    "a text that is repeated": (
        BERT,
        tokenizer(
            "PreTrainedTokenizerFast", post_processor={"type": "Sequence", "processors": [REPEATED, BARE, REPEATED]}
        ),
        "pieces around a text",
    ),
    "a normalizer that is none": (
        BERT,
        tokenizer("PreTrainedTokenizerFast", normalizer=["NFC"]),
        "cannot be loaded",
    ),
    "more layers than configured": (
        BERT,
        edit("config.json", num_hidden_layers=2),
        "more layers than its config.json says (2)",
    ),
    "a module of its own": (CLS, module("Whitening"), "Vectors: Whitening"),
    "a name twice": (BERT, edit("config.json", id2label=NAMES | {"2": "no"}), "Head: of several classes"),
    "a hole in the names": (BERT, edit("config.json", id2label=NAMES | {"1": ""}), "Head: has no name"),
    "two orders of labels": (
        BERT,
        edit("config.json", id2label=NAMES, label2id={"no": 2, "maybe": 1, "yes": 0}),
        "Head: in label2id",
    ),
    "an activation of its own": (
        "bert, reranker with one logit",
        edit("config.json", sentence_transformers={"activation_fn": "mine.Softest", "version": "5.0.0"}),
        "Head: Softest",
    ),
}


@pytest.mark.parametrize("name", SABOTAGES)
def test_a_passport_or_a_refusal_says_what_is_wrong(name: str, tmp_path: Path) -> None:
    kind, change, wanted = SABOTAGES[name]
    folder = make_folder(KINDS[kind], tmp_path / "m")
    change(folder)
    check, _, words = wanted.rpartition(": ")
    try:
        backend = load_folder("m", folder)
    except HeadlightError as error:
        said = {"": str(error)}
    else:
        said = {remark.name: remark.sentence for remark in backend.passport.remarks}
        if words == OF_THE_FILE:
            own = RustTokenizer.from_file(str(folder / "tokenizer.json"))
            assert all(backend.tokenizer.library_inputs(text)["input_ids"] == own.encode(text).ids for text in PROBES)
            assert backend.tokenize(PROBES[0]).ids == tuple(own.encode(PROBES[0]).ids)
    assert list(said) == [check]
    assert words in said[check]


@pytest.mark.parametrize("lost", ["s_aux", "position_bias", "scaling"])
def test_what_the_attention_loses_is_a_remark(lost: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = {"s_aux": "privacy filter", "position_bias": "t5's encoder"}.get(lost, "t5's encoder")
    backend = load_folder("m", make_folder(KINDS[kind], tmp_path / "m"))
    attend = pretrained_points._hooked_context

    def attend_without(run: Any, layer: int, attention: Any, given: Any, options: dict[str, Any]) -> Any:
        return attend(run, layer, attention, given, {key: each for key, each in options.items() if key != lost})

    monkeypatch.setattr(pretrained_points, "_hooked_context", attend_without)
    assert [remark.name for remark in backend.passport.remarks] == ["Attention"]
