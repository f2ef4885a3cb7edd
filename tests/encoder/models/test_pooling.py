"""Folders of sentence-transformers: a cosine is the folder's own, or there is none."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
from torch import Tensor

import encoder
from encoder import Backend, Trace
from encoder.attribution.decompx import decompx_class
from encoder.attribution.quantities import SimilarityQuantity
from encoder.attribution.questions import Question
from encoder.attribution.target import resolve_target
from encoder.comparison.compare import compare
from encoder.comparison.patched_output import output_pair
from encoder.comparison.similarity_map import similarity_map
from encoder.comparison.text_vectors import cosine_of_runs, text_vectors
from encoder.errors import ArgumentError, UnsupportedModelError
from encoder.models.pooling import check_pooling
from encoder.models.tensors import padded
from tests.encoder.random_models import A, B

OURS = ("mean", "mean_sqrt_len_tokens", "cls", "max", "weightedmean")
OTHERS = ("lasttoken", ("mean", "max"))


def sentence_folder(folder: Path, target: Path, mode: Any) -> Path:
    """A BERT's folder with a pooling, as sentence-transformers writes it."""
    transformer = Transformer(str(folder))
    modules = [transformer, Pooling(32, pooling_mode=mode), Normalize()]
    SentenceTransformer(modules=modules, device="cpu").save(str(target))
    return target


def cosine(folder: Path) -> float:
    one, other = SentenceTransformer(str(folder), device="cpu").encode([A, B], normalize_embeddings=True)
    return float(one @ other)


def cosines(backend: Backend) -> list[float]:
    one, other = text_vectors(backend, [backend.tokenize(A), backend.tokenize(B)])
    found = similarity_map(backend, backend.tokenize(A), backend.tokenize(B), points=1)
    return [cosine_of_runs(backend.trace(A), backend.trace(B)), float(one @ other), found.cosine]


def oracle(states: Tensor, mode: str) -> Tensor:
    """(D,) the vector of states (T, D), token by token."""
    if mode == "cls":
        return states[0]
    if mode == "max":
        return torch.stack([max(column) for column in states.T])
    shares = [position + 1 if mode == "weightedmean" else 1 for position in range(len(states))]
    return torch.stack([share * state for share, state in zip(shares, states, strict=True)]).sum(0) / sum(shares)


@pytest.mark.parametrize("prefix", ["", "scratch-bert:"])
@pytest.mark.parametrize("mode", OURS)
def test_the_cosine_is_the_one_of_the_library(folder: Path, tmp_path: Path, mode: str, prefix: str) -> None:
    target = sentence_folder(folder, tmp_path / "sentences", mode)
    backend = encoder.load(f"{prefix}{target}")
    assert backend.pooling.embeds_texts
    a, b = backend.trace(A), backend.trace(B)
    assert a.notes == ()
    first, second = (oracle(torch.tensor(run.hidden_states[-1]), mode) for run in (a, b))
    assert float(torch.cosine_similarity(first, second, dim=0)) == pytest.approx(cosine(target), abs=1e-6)
    to_b = resolve_target(backend, Question(kind="similarity", texts=(A, None), other=B), backend.trace).additive
    patched_to_b, patched_to_a = output_pair(a, b, "similarity").quantities
    with torch.no_grad():
        of_a, of_b = (backend.run_batch(padded([run.tokens], pad_id=backend.pad_id)) for run in (a, b))
    found = [float(quantity[0]) for quantity in (to_b(of_a), patched_to_b(of_a), patched_to_a(of_b))]
    assert [*cosines(backend), *found] == pytest.approx([cosine(target)] * 6, abs=1e-6)


def test_a_saved_run_knows_its_pooling(folder: Path, tmp_path: Path) -> None:
    backend = encoder.load(str(sentence_folder(folder, tmp_path / "sentences", "max")))
    assert Trace.from_bytes(backend.trace(A).to_bytes()).pooling == "max"


def test_decompx_refuses_a_cosine_of_maxima(folder: Path, tmp_path: Path) -> None:
    backend = encoder.load(f"scratch-bert:{sentence_folder(folder, tmp_path / 'sentences', 'max')}")
    a, b = backend.trace(A), backend.trace(B)
    with pytest.raises(ArgumentError, match="states that are pooled by max"):
        decompx_class(backend, a, SimilarityQuantity.to_text(b))


def assert_no_cosine(backend: Backend, why: str) -> None:
    a, b = backend.trace(A), backend.trace(B)
    assert [note for note in a.notes if why in note]
    for work in (
        lambda: cosine_of_runs(a, b),
        lambda: text_vectors(backend, [a.tokens]),
        lambda: similarity_map(backend, a.tokens, b.tokens, points=1),
        lambda: output_pair(a, b, "similarity"),
        lambda: resolve_target(backend, Question(kind="similarity", texts=(A, None), other=B), backend.trace),
    ):
        with pytest.raises(UnsupportedModelError, match="cosines are not shown here") as caught:
            work()
        assert why in str(caught.value)
    assert compare(a, b).text_cosines is None


@pytest.mark.parametrize("prefix", ["", "scratch-bert:"])
@pytest.mark.parametrize("mode", OTHERS, ids=str)
def test_a_folder_with_another_pooling_has_no_cosine(folder: Path, tmp_path: Path, mode: Any, prefix: str) -> None:
    target = sentence_folder(folder, tmp_path / "sentences", mode)
    named = ", ".join(sorted([mode] if isinstance(mode, str) else mode))
    assert_no_cosine(encoder.load(f"{prefix}{target}"), f"its pooling is {named}")


def test_a_run_saved_before_poolings_were_read_has_no_cosine() -> None:
    note = "This folder makes the vector of a text in another way than as the mean (its pooling is cls)."
    with pytest.raises(UnsupportedModelError, match="in another way than as the mean"):
        check_pooling("Another note.", note)


MODULES: dict[str, tuple[Any, str]] = {
    "dense": ([{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}], "it has a module 'Dense'"),
    "elsewhere": ([{"type": "x.Pooling", "path": "../other"}], "its pooling lies in '../other'"),
    "no pooling": ([{"type": "x.Transformer", "path": ""}], "its pooling is not named"),
    "no list": ({"type": "x.Pooling"}, "its modules.json cannot be read"),
    "no objects": ([5], "its modules.json cannot be read"),
}


@pytest.mark.parametrize("kind", MODULES)
def test_a_folder_with_what_is_not_understood_has_no_cosine(folder: Path, kind: str) -> None:
    modules, why = MODULES[kind]
    (folder / "modules.json").write_text(json.dumps(modules))
    assert_no_cosine(encoder.load(str(folder)), why)


def test_settings_of_earlier_versions_are_read(folder: Path, bundled_folder: Path) -> None:
    for name in ("modules.json", "1_Pooling"):
        copy = shutil.copytree if (bundled_folder / name).is_dir() else shutil.copyfile
        copy(bundled_folder / name, folder / name)
    assert encoder.load(str(folder)).pooling.differs == ""
    settings = json.loads((folder / "1_Pooling" / "config.json").read_text())
    settings |= dict.fromkeys((key for key in settings if "pooling_mode" in key), False)
    for name, mode in (("cls_token", "cls"), ("max_tokens", "max"), ("weightedmean_tokens", "weightedmean")):
        changed = settings | {f"pooling_mode_{name}": True}
        (folder / "1_Pooling" / "config.json").write_text(json.dumps(changed))
        assert encoder.load(str(folder)).pooling.mode == mode
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(settings | {"pooling_mode_lasttoken": True}))
    assert_no_cosine(encoder.load(str(folder)), "its pooling is lasttoken")


def test_a_prompt_in_front_of_each_text_is_another_cosine(folder: Path, tmp_path: Path) -> None:
    target = sentence_folder(folder, tmp_path / "sentences", "mean")
    path = target / "config_sentence_transformers.json"
    path.write_text(
        json.dumps(json.loads(path.read_text()) | {"prompts": {"q": "query: "}, "default_prompt_name": "q"})
    )
    assert_no_cosine(encoder.load(str(target)), "it puts a prompt in front of each text")


def test_a_folder_without_modules_is_no_sentence_encoder(folder: Path) -> None:
    backend = encoder.load(str(folder))
    assert not backend.pooling.embeds_texts
    assert backend.trace(A).notes == ()
