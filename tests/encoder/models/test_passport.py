"""Passports: what is proved of a model that was opened."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch

from encoder.catalogue import load
from encoder.errors import CheckpointError, InputError, UnsupportedModelError
from encoder.models.loading import load_folder
from encoder.models.passport import Check, Passport
from encoder.models.pretrained import PretrainedBackend
from encoder.models.pretrained_points import WITHOUT_EFFECT
from encoder.text.tokenizer_file import PROBES
from tests.encoder.models.folder_table import ROWS, make_folder
from tests.encoder.random_models import (
    BERT_SIZES,
    Zoo,
    build,
    check_of,
    family_folder,
    framed_bytes,
    save,
    wordpiece_tokenizer,
)
from tests.thorough import THOROUGH
from viz.saved_page.pages import page_of_traces
from viz.saved_page.traces import Shown


@pytest.fixture
def bert(tmp_path: Path) -> PretrainedBackend:
    return load_folder("bert", make_folder(ROWS[0], tmp_path / "bert"))


def outcomes(passport: Passport) -> dict[str, str]:
    return {check.name: check.outcome for check in passport.checks}


def test_attention_of_a_folder_is_compared_with_the_librarys(bert: PretrainedBackend) -> None:
    check = check_of(bert, "Attention")
    assert check.outcome == "holds"
    assert (check.value or 0) < 1e-5
    assert bert.passport is bert.passport  # made once


def test_a_saved_trace_has_the_line_of_its_models_passport(bert: PretrainedBackend) -> None:
    trace = bert.trace("time flies")
    again = type(trace).from_bytes(trace.to_bytes())
    assert again.checked() == trace.checked() == bert.passport.line
    assert again.checked().startswith("Checked: attention, tokens, inputs,")
    page = page_of_traces({"pair": again}, Shown(level="words", special="show"), view="heat map", selection={})
    assert page.about[-1] == again.checked()
    assert "nothing differs" in repr(bert)


def test_attention_that_differs_is_a_remark(bert: PretrainedBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("encoder.models.pretrained_points.sdpa_attention_forward", _without_softmax)
    assert outcomes(bert.passport)["Attention"] == "differs"
    assert "last states by" in bert.passport.line


def _without_softmax(
    module: object, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, *rest: object, **options: object
) -> tuple[torch.Tensor, None]:
    return value.transpose(1, 2), None


def test_a_keyword_that_is_not_computed_is_a_remark(bert: PretrainedBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("encoder.models.pretrained_points.WITHOUT_EFFECT", WITHOUT_EFFECT - {"dropout"})
    assert "hands 'dropout' to its attention function" in bert.passport.line


def test_sinks_are_computed_saved_and_proved(zoo: Zoo) -> None:
    backend = zoo.backend("privacy-filter")
    trace = backend.trace(PROBES[0])
    assert outcomes(backend.passport)["Attention"] == "holds"
    assert trace.weights(0).sum(-1).max() < 0.9999
    assert type(trace).from_bytes(trace.to_bytes()).to_sink(0).tobytes() == trace.to_sink(0).tobytes()
    assert any("learned sink" in note for note in trace.notes)


CASED = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": False}
CASED["strip_accents"] = False
BYTES = {"type": "ByteLevel", "trim_offsets": True, "use_regex": True}
SPLIT = {"type": "WhitespaceSplit"}
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDS = {
    "type": "WordPiece",
    "unk_token": "[UNK]",
    "continuing_subword_prefix": "##",
    "max_input_chars_per_word": 10_000,
}
WORDS["vocab"] = {piece: number for number, piece in enumerate((*SPECIAL, "e", "##e"))}
PIECES = {"type": "Unigram", "unk_id": 1, "vocab": [[piece, -1.0] for piece in (*SPECIAL, "the", "a" * 10_000)]}
PATTERN = {"type": "Split", "behavior": "Isolated", "invert": False, "pattern": {"Regex": "(a|a)*b"}}
SLOW: dict[str, tuple[dict[str, Any], str]] = {
    "exponential": ({"pre_tokenizer": PATTERN}, "a" * 60 + "cb"),
    "quadratic": ({"pre_tokenizer": PATTERN | {"pattern": {"Regex": r"\p{L}+!"}}}, "a" * 199_998 + " !"),
    "normalizer": ({"normalizer": PATTERN | {"type": "Replace", "content": ""}}, "a" * 60 + "cb"),
    "words": ({"model": WORDS}, "e" * 10_000),
    "pieces": ({"model": PIECES}, "a" * 200_000),
}
TIMES = {"type": "Replace", "pattern": {"String": "A"}, "content": "a" * 50}


def tokenizer_folder(folder: Path, made_by: Any, settings: dict[str, Any], parts: dict[str, Any]) -> Path:
    """A folder whose tokenizer.json and tokenizer_config.json were changed."""
    family_folder(folder, "roberta" if made_by is framed_bytes else "bert")
    for name, changes in (("tokenizer.json", parts), ("tokenizer_config.json", settings)):
        changed = json.loads((folder / name).read_text()) | changes
        (folder / name).write_text(json.dumps({key: value for key, value in changed.items() if value is not ...}))
    return folder


@pytest.mark.parametrize(
    ("made_by", "class_name"), [(wordpiece_tokenizer, "BertTokenizer"), (framed_bytes, "RobertaTokenizer")]
)
def test_a_class_that_builds_the_tokenizer_of_the_file_is_no_remark(
    made_by: Any, class_name: str, tmp_path: Path
) -> None:
    backend = load_folder("m", tokenizer_folder(tmp_path / "m", made_by, {"tokenizer_class": class_name}, {}))
    assert "are cut as the folder's tokenizer.json says" in check_of(backend, "Tokens").sentence


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"normalizer": {"type": "Sequence", "normalizers": [TIMES, {"type": "Lowercase"}, TIMES]}}, "2,500 times"),
        ({"normalizer": {"type": "Prepend", "prepend": "a" * 1_000}}, "1,001 times"),
        ({"decoder": {"type": "Sequence", "decoders": [TIMES] * 3}}, "125,000 times"),
        ({"added_tokens": [{}] * 20_001}, "adds 20,001 tokens"),
    ],
)
def test_a_tokenizer_that_could_fill_the_memory_is_refused(parts: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=said):
        load_folder("m", tokenizer_folder(tmp_path / "m", wordpiece_tokenizer, {}, parts))


@pytest.mark.parametrize("name", ["extra_special_tokens", "added_tokens_decoder"])
def test_settings_that_name_too_many_tokens_are_refused(name: str, tmp_path: Path) -> None:
    settings = {name: {str(number): f"<{number}>" for number in range(20_001)}}
    with pytest.raises(CheckpointError, match=r"tokenizer_config\.json names 20,001 tokens; at most 20,000"):
        load_folder("m", tokenizer_folder(tmp_path / "m", wordpiece_tokenizer, settings, {}))


def test_many_short_replacements_are_not_refused(tmp_path: Path) -> None:
    named = [TIMES | {"pattern": {"String": each}, "content": f" {name} "} for each, name in NAMES.items()]
    parts = {"normalizer": {"type": "Sequence", "normalizers": named}}
    load_folder("m", tokenizer_folder(tmp_path / "m", wordpiece_tokenizer, {}, parts))


NAMES = {"😂": "face with tears", "€": "euro", "%": "percent", "&": "and", "½": "half", "…": "...", "™": "trademark"}


@pytest.mark.parametrize("kind", SLOW if THOROUGH else ["exponential", "quadratic", "normalizer"])  # one for each limit
def test_a_text_that_takes_minutes_is_refused_and_the_next_is_read(kind: str, tmp_path: Path) -> None:
    parts, text = SLOW[kind]
    backend = load_folder("m", tokenizer_folder(tmp_path / "m", wordpiece_tokenizer, {}, parts))
    with pytest.raises(InputError, match="tokenizer gives up on this text"):
        backend.trace("the bank", text)
    assert len(backend.trace("the bank").tokens)


def test_a_tokenizer_that_takes_minutes_for_short_texts_is_refused(tmp_path: Path) -> None:
    parts = {"normalizer": PATTERN | {"type": "Replace", "content": "", "pattern": {"Regex": r"(\w|.)*q\d"}}}
    with pytest.raises(CheckpointError, match="gives up on a short text"):
        load_folder("m", tokenizer_folder(tmp_path / "m", wordpiece_tokenizer, {}, parts))


@pytest.mark.parametrize("names", [["input_ids", "attention_mask"], ["input_ids", "token_type_ids", "attention_mask"]])
def test_a_pair_gets_the_token_types_that_the_library_gives_it(names: list[str], tmp_path: Path) -> None:
    folder = tokenizer_folder(tmp_path / "m", wordpiece_tokenizer, {"model_input_names": names}, {})
    backend = load_folder("m", folder)
    trace = backend.trace("time flies", "fruit flies")
    assert max(trace.tokens.token_type_ids) == names.count("token_type_ids")
    given = backend.tokenizer.inner("time flies", "fruit flies", return_tensors="pt")
    assert torch.allclose(torch.tensor(trace.hidden_states[-1]), backend.model(**given)[0], atol=1e-5)
    assert outcomes(backend.passport)["Inputs"] == "holds"


@pytest.mark.parametrize(
    ("kind", "settings", "said"),
    [
        ("Lilt", {}, "reads where words stand on a page"),
        ("LayoutLM", {}, "reads where words stand on a page"),
        ("MarkupLM", {}, "reads the markup of a page"),
        ("Canine", {}, "reads characters"),
        ("IBert", {}, "computes in integers"),
        ("SqueezeBert", {"embedding_size": 32}, "in place of attention weights"),
        ("Gemma2", {"num_key_value_heads": 2, "head_dim": 8}, "softcap"),
    ],
)
def test_a_model_of_another_kind_is_refused_in_words(
    kind: str, settings: dict[str, Any], said: str, tmp_path: Path
) -> None:
    tokenizer = wordpiece_tokenizer()
    sizes = BERT_SIZES | {"vocab_size": len(tokenizer), "pad_token_id": 0} | settings
    with pytest.raises(UnsupportedModelError, match=said):
        load_folder("m", save(build(f"{kind}Model", f"{kind}Config", **sizes), tmp_path / "m", tokenizer))


@pytest.mark.parametrize("change", ["nothing", "a file", "a library", "all positions", "damage", "another form", "off"])
def test_a_passport_is_stored_until_the_folder_or_a_library_changes(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cache = make_folder(ROWS[0], tmp_path / "bert"), tmp_path / "cache"
    monkeypatch.setenv("HEADLIGHT_CACHE", str(cache))
    name = str(folder)
    first = load_folder(name, folder).passport
    [stored] = cache.rglob("*.json")
    checks = {"key": json.loads(stored.read_text())["key"], "checks": [asdict(LEFT)]}
    stored.write_text(json.dumps(checks))  # so that a stored one is told from a new one
    if change == "a file":
        (folder / "config.json").write_text((folder / "config.json").read_text() + "\n")
    elif change == "a library":
        monkeypatch.setattr("encoder.models.passport.version", lambda package: "0")
    elif change == "damage":
        stored.write_text("{")
    elif change == "another form":
        stored.write_text(json.dumps(checks | {"checks": [{"name": "Tokens"}]}))
    elif change == "off":
        monkeypatch.setenv("HEADLIGHT_CACHE", "off")
    backend = load_folder(name, folder)
    again = (backend.with_all_positions() if change == "all positions" else backend).passport
    assert (again.checks == (LEFT,)) == (change == "nothing")
    assert change == "nothing" or outcomes(again) == outcomes(first)
    assert len([*cache.rglob("*.json")]) == 1 + (change == "all positions")


LEFT = Check(name="Tokens", outcome="differs", sentence="By an earlier process.", value=0.5)


def test_of_models_that_ship_those_with_a_checked_revision_have_a_stored_passport(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADLIGHT_CACHE", str(tmp_path))
    assert load("scratch").passport.checks
    assert not [*tmp_path.iterdir()]
    made = load("bundled").passport
    monkeypatch.setattr("encoder.models.passport.Passport.of", None)  # nothing is checked again
    assert load("bundled").passport == made


def test_queries_times_keys_of_500_are_compared_at_their_size(tmp_path: Path) -> None:
    """Those of EmbeddingGemma 2 are normed and not scaled, so that float32 moves weights by 2e-5."""
    tokenizer = wordpiece_tokenizer()
    sizes = BERT_SIZES | {"num_key_value_heads": 2, "head_dim": 256, "global_head_dim": 512, "embedding_dim": 32}
    sizes |= {"num_global_key_value_heads": 1, "hidden_size_per_layer_input": 8, "vocab_size": len(tokenizer)}
    model = build("EmbeddingGemma2TextModel", "EmbeddingGemma2TextConfig", **sizes)
    check = check_of(load_folder("m", save(model, tmp_path / "m", tokenizer)), "Attention")
    assert check.outcome == "holds", check.sentence


def test_a_passport_is_short_escaped_and_a_frame() -> None:
    def check_tokens(_: object) -> Check:
        raise CheckpointError("its file <b> is damaged.")

    no_head = Check(name="Head", outcome="does not apply", sentence="It has none.")
    passport = Passport.of(None, [check_tokens, lambda _: no_head])
    assert repr(passport) == "<Passport: 2 checks, Tokens differ>"
    assert passport.line == "Checked: Tokens: its file <b> is damaged."
    assert "&lt;b&gt;" in passport._repr_html_()
    assert list(passport.frame()["outcome"]) == ["differs", "does not apply"]
