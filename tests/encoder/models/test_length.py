"""How many tokens of a text are read: as many as the folder says, or as many as there are positions for."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from transformers import AutoModel, AutoTokenizer

import encoder
from encoder import Trace
from encoder.models.wrapping import wrap
from tests.encoder.models.test_pooling import sentence_folder
from tests.encoder.random_models import FAMILIES, LONG, A, B, Zoo, check_of

POSITIONS = 64  # of the small models
TEXT = f"{LONG} " * 12
SHIPPED = ("bundled", "bundled-sentiment", "scratch-bert")


def limited(folder: Path, target: Path, *, tokenizer: int | str | None = None, texts: int | None = None) -> Path:
    """A copy of a folder whose tokenizer, or whose settings of sentence-transformers, limit the length of texts."""
    shutil.copytree(folder, target)
    limits = {"tokenizer_config.json": ("model_max_length", tokenizer)}
    limits["sentence_bert_config.json"] = ("max_seq_length", texts)
    for name, (key, limit) in limits.items():
        if (target / name).exists() or limit:
            settings = json.loads((target / name).read_text()) if (target / name).exists() else {}
            settings.pop(key, None)
            (target / name).write_text(json.dumps(settings | ({key: limit} if limit else {})))
    return target


def cosine_of(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


@pytest.mark.parametrize(
    ("tokenizer", "texts", "read"),
    [(None, None, 64), (20, None, 20), (100, None, 64), (None, 20, 20), (40, 20, 20), (20, 40, 40), (100, 64, 64)],
)
def test_the_library_reads_as_many_tokens(
    zoo: Zoo, tmp_path: Path, tokenizer: int | None, texts: int | None, read: int
) -> None:
    whole = sentence_folder(zoo.folder("bert"), tmp_path / "whole", "mean")
    folder = limited(whole, tmp_path / "limited", tokenizer=tokenizer, texts=texts)
    ids = SentenceTransformer(str(folder), device="cpu").preprocess([TEXT])["input_ids"][0].tolist()
    for name in (str(folder), f"scratch-bert:{folder}"):
        tokens = encoder.load(name).tokenize(TEXT)
        assert (len(tokens), list(tokens.ids)) == (read, ids)


@pytest.mark.parametrize(("limit", "read"), [(None, 64), (20, 20), ("30", 30), (1000, 64)])
def test_folders_without_a_pooling_are_read_as_far_as_their_tokenizer_says(
    zoo: Zoo, tmp_path: Path, limit: int | str | None, read: int
) -> None:
    folder = limited(zoo.folder("bert"), tmp_path / "limited", tokenizer=limit)
    opened = encoder.load(folder)
    assert len(opened.tokenize(TEXT)) == read
    assert check_of(opened, "Length").value == read
    model, tokenizer = AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    assert len(wrap(model, tokenizer).tokenize(TEXT)) == read
    assert len(wrap(model, tokenizer, all_positions=True).tokenize(TEXT)) == POSITIONS


@pytest.mark.parametrize("name", SHIPPED)
def test_models_that_ship_read_what_their_folder_says(name: str, bundled_folder: Path) -> None:
    cut, whole = encoder.load(name).trace(TEXT), encoder.load(f"all-positions:{name}").trace(TEXT)
    assert (len(cut.tokens), sum(cut.tokens.truncated), cut.model_name) == (256, len(whole.tokens) - 256, name)
    assert f"256 of {len(whole.tokens)} tokens" in repr(cut)
    assert cut.tokens.ids == encoder.load(str(bundled_folder)).tokenize(TEXT).ids
    assert not any("All positions" in note for note in cut.notes)


@pytest.mark.parametrize("family", FAMILIES)
def test_all_positions_are_an_argument_or_a_name_and_traces_say_what_they_change(
    zoo: Zoo, tmp_path: Path, family: str
) -> None:
    folder = limited(zoo.folder(family), tmp_path / "limited", tokenizer=20)
    usual, named = encoder.load(str(folder)), encoder.load(f"all-positions:{folder}")
    every = encoder.load(str(folder), all_positions=True)
    assert every.name == named.name == f"all-positions:{folder}"
    short, long = A, " ".join([A] * 4)
    assert every.trace(short).notes == usual.trace(short).notes
    with pytest.warns(UserWarning, match="longer than the model reads: 1 of 1 texts"):
        change = cosine_of(usual.embed([long])[0], every.embed([long])[0])
    for trace in (every.trace(long), next(named.traces([long]))):
        [note] = set(trace.notes) - set(usual.trace(short).notes)
        assert note.startswith(f"All positions: {len(trace.tokens)} tokens are read, where the model's folder says 20")
        assert note.endswith(f"the cosine of the two vectors of the text is {change:.3f}.")
        assert Trace.from_bytes(trace.to_bytes()).notes == trace.notes
    assert len(every.tokenize(long)) > 20 == len(usual.tokenize(long))


def test_the_change_is_that_of_the_same_pair_with_the_same_heads(zoo: Zoo, tmp_path: Path) -> None:
    folder = limited(zoo.folder("bert"), tmp_path / "limited", tokenizer=10)
    usual, every = encoder.load(folder), encoder.load(folder, all_positions=True)
    silenced = [(0, 1)]
    vectors = [model.trace(A, B, silenced_heads=silenced).hidden_states[-1].mean(0) for model in (usual, every)]
    note = every.trace(A, B, silenced_heads=silenced).notes[-1]
    assert note.endswith(f"{cosine_of(*vectors):.3f}.")


@pytest.mark.parametrize(
    ("tokenizer", "texts", "said"),
    [
        (None, None, "at 64 tokens, as many as the model has positions for."),
        (20, None, "at 20 tokens, as its tokenizer says. The model has positions for 44 more"),
        (40, 20, "at 20 tokens, as its max_seq_length says. The model has positions for 44 more"),
    ],
)
def test_the_passport_says_which_limit_rules(
    zoo: Zoo, tmp_path: Path, tokenizer: int | None, texts: int | None, said: str
) -> None:
    folder = limited(zoo.folder("bert"), tmp_path / "limited", tokenizer=tokenizer, texts=texts)
    for name in (str(folder), f"scratch-bert:{folder}"):
        model = encoder.load(name)
        check = check_of(model, "Length")
        assert (check.outcome, said in check.sentence, check.value) == ("holds", True, len(model.tokenize(TEXT)))
        check = check_of(model.with_all_positions(), "Length")
        assert check.outcome == ("holds" if check.value == model.tokenizer.usual_length else "differs")
