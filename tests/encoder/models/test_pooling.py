"""Folders of sentence-transformers: a cosine is the folder's own, or there is none."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pytest
import torch
from sentence_transformers import SentenceTransformer, util
from sentence_transformers.sentence_transformer.modules import (
    Dense,
    Dropout,
    LayerNorm,
    Module,
    Normalize,
    Pooling,
    Transformer,
)
from torch import nn

import encoder
from encoder import Backend, Trace
from encoder.attribution.methods.decompx import decompx_class
from encoder.attribution.quantities import SimilarityQuantity
from encoder.attribution.questions import Question
from encoder.attribution.target import resolve_target
from encoder.collection.hit_test import remove_strongest_pair, split_of_hit
from encoder.collection.search import SCORES, search
from encoder.collection.table import Collection
from encoder.comparison.compare import compare
from encoder.comparison.patched_output import output_pair
from encoder.comparison.similarity_map import similarity_map
from encoder.comparison.text_vectors import cosine_of_runs, similarity_of_runs, text_vectors
from encoder.errors import ArgumentError, UnsupportedModelError
from encoder.models.pooling import COMPARED_BY, PROMPTS, Role, Similarity, check_pooling
from encoder.models.tensors import padded
from encoder.models.vector_checks import check_vectors
from tests.encoder.random_models import LONG, WIDTH, A, B, Zoo, check_of, edit_config
from tests.encoder.text.token_checks import check_invariants
from tests.rounding import rounding

OF_TOKENS = {"module_input_name": "token_embeddings"}
OURS = ("mean", "mean_sqrt_len_tokens", "cls", "max", "weightedmean", "lasttoken")
MODES: Any = (*OURS, ("mean", "max"), ("cls", "lasttoken", "mean_sqrt_len_tokens"))


def sentence_folder(folder: Path, target: Path, mode: Any, *after: Module, **options: Any) -> Path:
    """A BERT's folder with a pooling and further modules, as sentence-transformers writes it, but for a card."""
    modules = [Transformer(str(folder)), Pooling(WIDTH, pooling_mode=mode), *(after or [Normalize()])]
    SentenceTransformer(modules=modules, device="cpu", **options).save(str(target), create_model_card=False)
    return target


def dense(width: int, **options: Any) -> Dense:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return Dense(width, 16, **options)


def cosine(folder: Path) -> float:
    one, other = SentenceTransformer(str(folder), device="cpu").encode([A, B], normalize_embeddings=True)
    return float(one @ other)


def assert_vectors_are_the_librarys(backend: Backend, library: SentenceTransformer) -> None:
    """But for rounding, also those of the roles of a search, of texts of several lengths."""
    texts = [A, B, "time", LONG]
    found = [backend.embed(texts), *(backend.embed(texts, role=role) for role in get_args(Role))]
    for ours, encode in zip(found, (library.encode, library.encode_query, library.encode_document), strict=True):
        theirs = encode(texts)
        assert ours == pytest.approx(theirs, abs=rounding(WIDTH, max(1, float(np.abs(theirs).max()))))


def test_another_role_is_refused(bundled: Backend) -> None:
    with pytest.raises(ArgumentError, match="role is 'passage': it can be 'query', 'document'"):
        bundled.embed(A, role="passage")  # type: ignore[arg-type]


def cosines(backend: Backend) -> list[float]:
    one, other = text_vectors(backend, [backend.tokenize(A), backend.tokenize(B)])
    found = similarity_map(backend, backend.tokenize(A), backend.tokenize(B), points=1)
    return [cosine_of_runs(backend.trace(A), backend.trace(B)), float(one @ other), found.cosine]


def all_cosines(backend: Backend) -> list[float]:
    """The cosine of A and B by every way that there is."""
    a, b = backend.trace(A), backend.trace(B)
    to_b = resolve_target(backend, Question(kind="similarity", texts=(A, None), other=B), backend.trace).additive
    patched_to_b, patched_to_a = output_pair(a, b, "similarity").quantities
    with torch.no_grad():
        of_a, of_b = (backend.run_batch(padded([run.tokens], pad_id=backend.pad_id)) for run in (a, b))
    found = [float(quantity[0]) for quantity in (to_b(of_a), patched_to_b(of_a), patched_to_a(of_b))]
    of_layers = compare(a, b).text_cosines
    return [*cosines(backend), *found, float(of_layers[-1])]


@pytest.mark.parametrize(
    ("mode", "prefix"), [*((mode, "") for mode in MODES), ("mean", "scratch-bert:"), (("mean", "max"), "scratch-bert:")]
)
def test_the_cosine_is_the_one_of_the_library(folder: Path, tmp_path: Path, mode: Any, prefix: str) -> None:
    target = sentence_folder(folder, tmp_path / "sentences", mode)
    backend = encoder.load(f"{prefix}{target}")
    assert backend.pooling.embeds_texts
    assert all_cosines(backend) == pytest.approx([cosine(target)] * 7, abs=1e-6)
    assert_vectors_are_the_librarys(backend, SentenceTransformer(str(target), device="cpu"))
    assert (backend.trace(A).notes == ()) == (mode in OURS)


AFTER: dict[str, tuple[Any, list[Any]]] = {
    "dense": ("mean", [lambda: dense(WIDTH)]),
    "linear dense": ("weightedmean", [lambda: dense(WIDTH, activation_function=nn.Identity(), bias=False)]),
    "dense with a bias": ("cls", [lambda: dense(WIDTH, activation_function=nn.Identity())]),
    "residual": ("mean", [lambda: dense(WIDTH, use_residual=True, activation_function=nn.GELU())]),
    "of two poolings": (("cls", "max"), [lambda: dense(2 * WIDTH), Normalize]),
    "normalised before": ("mean", [Normalize, lambda: dense(WIDTH), Normalize]),
    "layer norm": ("mean", [lambda: LayerNorm(WIDTH)]),
    "nothing": ("mean_sqrt_len_tokens", [lambda: Dropout(0.5)]),
}


@pytest.mark.parametrize("kind", AFTER)
def test_modules_behind_the_pooling_are_those_of_the_library(folder: Path, tmp_path: Path, kind: str) -> None:
    mode, after = AFTER[kind]
    target = sentence_folder(folder, tmp_path / "sentences", mode, *(module() for module in after))
    backend = encoder.load(str(target))
    assert all_cosines(backend) == pytest.approx([cosine(target)] * 7, abs=1e-6)
    trace = backend.trace(A)
    library = SentenceTransformer(str(target), device="cpu")
    assert_vectors_are_the_librarys(backend, library)
    found = torch.tensor(library.encode([A]))
    assert trace.text_vectors[-1] == pytest.approx(found[0].numpy(), rel=rounding(WIDTH), abs=rounding(WIDTH))
    assert any("the folder's own modules" in note for note in trace.notes)
    pairs = similarity_map(backend, backend.tokenize(A), backend.tokenize(B), points=80)
    assert pairs.completeness_error < (5e-2 if "max" in mode else 5e-3)
    again = Trace.from_bytes(trace.to_bytes())
    assert cosine_of_runs(again, backend.trace(B)) == pytest.approx(cosine(target), abs=1e-6)


PLAIN: dict[str, list[Callable[[], Module]]] = {
    "not scaled": [],
    "scaled by a root": [lambda: Pooling(WIDTH, pooling_mode="mean_sqrt_len_tokens")],
    "scaled twice": [lambda: Pooling(WIDTH, pooling_mode="max"), Normalize, Normalize],
    "scaled before": [Normalize, lambda: Pooling(WIDTH, pooling_mode="cls")],
    "of projected tokens": [lambda: dense(WIDTH, **OF_TOKENS), lambda: Pooling(16)],
    "of linear tokens": [
        lambda: dense(WIDTH, activation_function=nn.Identity(), **OF_TOKENS),
        lambda: Pooling(16, pooling_mode="weightedmean"),
        Normalize,
    ],
    "of scaled tokens": [lambda: Normalize(**OF_TOKENS), lambda: Pooling(WIDTH), Normalize],
}


@pytest.mark.parametrize(("kind", "dimension"), [*((kind, None) for kind in PLAIN), *((kind, 8) for kind in PLAIN)])
def test_modules_in_any_order_and_fewer_dimensions_make_the_librarys_vectors(
    folder: Path, tmp_path: Path, kind: str, dimension: int | None
) -> None:
    modules = [Transformer(str(folder)), *(module() for module in PLAIN[kind])]
    modules += [] if any(isinstance(module, Pooling) for module in modules) else [Pooling(WIDTH)]
    library = SentenceTransformer(modules=modules, device="cpu", truncate_dim=dimension)
    library.save(str(tmp_path / "sentences"), create_model_card=False)
    backend = encoder.load(str(tmp_path / "sentences"))
    assert all_cosines(backend) == pytest.approx([cosine(tmp_path / "sentences")] * 7, abs=1e-6)
    assert_vectors_are_the_librarys(backend, SentenceTransformer(str(tmp_path / "sentences"), device="cpu"))
    assert check_vectors(backend).outcome == "holds"


def test_the_bundled_vectors_are_those_of_its_folder(
    bundled: Backend, bundled_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = SentenceTransformer(str(bundled_folder), device="cpu")
    assert check_vectors(bundled).outcome == "holds"
    for backend in (bundled, encoder.load("scratch-bert"), encoder.load(str(bundled_folder))):
        assert_vectors_are_the_librarys(backend, library)
        assert np.linalg.norm(backend.embed([A])) == pytest.approx(1, abs=1e-6)
    monkeypatch.setattr("encoder.models.base.pooled", lambda states, mode: states[:, 0])
    assert check_vectors(bundled).outcome == "differs"


@pytest.mark.parametrize("similarity", get_args(Similarity))
@pytest.mark.parametrize("after", [[], [Normalize()]])
def test_a_search_ranks_by_the_folders_similarity_and_prompts(
    folder: Path, tmp_path: Path, similarity: Any, after: list[Module]
) -> None:
    modules = [Transformer(str(folder)), Pooling(WIDTH, pooling_mode="mean_sqrt_len_tokens"), *after]
    prompts = {"query": "fruit: ", "document": "over the: "}
    library = SentenceTransformer(modules=modules, device="cpu", prompts=prompts, similarity_fn_name=similarity)
    library.save(str(tmp_path / "sentences"), create_model_card=False)
    backend, texts = encoder.load(str(tmp_path / "sentences")), [B, LONG, "time", "an arrow", "the banana flies"]
    theirs = library.similarity(library.encode_query([A]), library.encode_document(texts))[0].numpy()
    rows = Collection.of("mine", pa.table({"text": texts}), text="text")
    found = search(backend, rows, A)
    assert found.scores == pytest.approx(theirs, abs=1e-5 * float(np.abs(theirs).max()))
    assert found.score == SCORES[similarity]
    trace = backend.trace(A)
    assert any("Search reads a query after “fruit:” and a text after “over the:”" in note for note in trace.notes)
    assert any(f"by {COMPARED_BY.get(similarity)}: Search ranks" in note for note in trace.notes) == (
        similarity != "cosine"
    )
    split = split_of_hit(backend, A, B, "words")
    query, text = library.encode_query([A]), library.encode_document([B])
    whole = library.similarity(query, text) if similarity == "dot" else util.cos_sim(query, text)
    assert split.cosine == pytest.approx(float(whole[0, 0]), rel=1e-5)
    assert split.completeness_error < 2e-2 * abs(split.cosine)
    tested = remove_strongest_pair(backend, rows, A, 0)
    assert tested.scores[0] == pytest.approx(theirs[0], abs=1e-5 * float(np.abs(theirs).max()))
    assert tested.places[0] == found.ranking.place_of(0)
    plain = similarity_of_runs(trace, backend.trace(B), backend.pooling)
    by_hand = library.encode([A])[0] @ library.encode([B])[0]
    assert plain == pytest.approx(by_hand if similarity == "dot" else cosine(tmp_path / "sentences"), rel=1e-5)


@pytest.mark.parametrize(
    ("prompts", "default", "query", "document"),
    [
        ({"query": "fruit: ", "passage": "time: "}, None, "fruit: ", "time: "),
        ({"query": "fruit: ", "document": "", "passage": "time: "}, "query", "fruit: ", "time: "),
        ({"query": "", "corpus": "time: "}, "corpus", "", "time: "),
        ({"sts": "time: "}, "sts", "", ""),
        ({}, None, "", ""),
    ],
)
def test_roles_are_read_with_the_prompts_that_have_their_names(
    folder: Path, tmp_path: Path, prompts: dict[str, str], default: str | None, query: str, document: str
) -> None:
    target = sentence_folder(folder, tmp_path / "sentences", "mean", prompts=prompts, default_prompt_name=default)
    (target / PROMPTS).write_text(json.dumps({"prompts": prompts, "default_prompt_name": default}))
    backend, library = encoder.load(str(target)), SentenceTransformer(str(target), device="cpu")
    by_role: dict[Role, str] = {"query": query, "document": document}
    for role, prompt in by_role.items():
        assert backend.embed([A], role=role) == pytest.approx(library.encode([A], prompt=prompt), abs=1e-6)
    assert backend.embed([A]) == pytest.approx(library.encode([A]), abs=1e-6)


def test_decompx_decomposes_a_linear_dense_exactly(folder: Path, tmp_path: Path) -> None:
    for kind in ("linear dense", "dense with a bias"):
        mode, after = AFTER[kind]
        target = sentence_folder(folder, tmp_path / kind, mode, *(module() for module in after))
        backend = encoder.load(f"scratch-bert:{target}")
        a, b = backend.trace(A), backend.trace(B)
        found = decompx_class(backend, a, SimilarityQuantity.to_text(b))
        assert found.of_text == pytest.approx(cosine_of_runs(a, b), abs=1e-6)
        assert found.values.sum() == pytest.approx(found.total, abs=1e-5)


def test_decompx_refuses_a_dense_with_an_activation(folder: Path, tmp_path: Path) -> None:
    backend = encoder.load(f"scratch-bert:{sentence_folder(folder, tmp_path / 'sentences', 'mean', dense(WIDTH))}")
    with pytest.raises(ArgumentError, match="a function which is not linear"):
        decompx_class(backend, backend.trace(A), SimilarityQuantity.to_text(backend.trace(B)))


PROMPTED = {"prompts": {"query": "over the: ", "passage": ""}, "default_prompt_name": "query"}


@pytest.mark.parametrize(
    ("family", "mode", "include"),
    [
        ("bert", "mean", True),
        ("roberta", "weightedmean", True),
        ("bert", "weightedmean", False),
        ("roberta", ("mean", "cls"), False),
    ],
)
def test_the_default_prompt_is_read_before_the_text(
    zoo: Zoo, tmp_path: Path, family: str, mode: Any, include: bool
) -> None:
    target = sentence_folder(zoo.folder(family), tmp_path / "sentences", mode, **PROMPTED)
    edit_config(target / "1_Pooling", include_prompt=include)
    backend = encoder.load(str(target))
    assert all_cosines(backend) == pytest.approx([cosine(target)] * 7, abs=1e-6)
    trace = backend.trace(A)
    library = SentenceTransformer(str(target), device="cpu")
    assert list(trace.tokens.ids) == library.preprocess([A], prompt="over the: ")["input_ids"][0].tolist()
    assert trace.tokens.sentences == (A,)
    assert trace.tokens.words == tuple(A.split())
    assert any("The prompt “over the:” is read before the text" in note for note in trace.notes)
    check_invariants(trace.tokens, backend.num_ids)
    assert backend.tokenize(A.split()).words == tuple(A.split())
    assert similarity_map(backend, trace.tokens, trace.tokens, level="words", points=1).values.shape == (5, 5)


def test_a_transformer_in_a_folder_of_its_own_is_found(folder: Path, tmp_path: Path) -> None:
    target = sentence_folder(folder, tmp_path / "sentences", "cls")
    (target / "0_Transformer").mkdir()
    for path in target.glob("*.*"):
        if path.name not in ("modules.json", "config_sentence_transformers.json"):
            path.rename(target / "0_Transformer" / path.name)
    modules = json.loads((target / "modules.json").read_text())
    (target / "modules.json").write_text(json.dumps([modules[0] | {"path": "0_Transformer"}, *modules[1:]]))
    assert all_cosines(encoder.load(target)) == pytest.approx([cosine(target)] * 7, abs=1e-6)


def test_prompts_without_a_default_are_named_and_not_read(folder: Path, tmp_path: Path) -> None:
    target = sentence_folder(folder, tmp_path / "sentences", "mean", prompts={"query": "over: "})
    trace = encoder.load(str(target)).trace(A)
    assert trace.tokens.ids == encoder.load(str(folder)).tokenize(A).ids
    assert trace.notes == (
        "This folder has prompts (query) but sets none by default: the text is read without one. Search reads a query "
        "after “over:” and a text without a prompt.",
    )


def test_texts_are_cut_and_lowercased_as_the_library_does(folder: Path, tmp_path: Path) -> None:
    target = sentence_folder(folder, tmp_path / "sentences", "mean")
    (target / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 6, "do_lower_case": True}))
    backend = encoder.load(str(target))
    library = SentenceTransformer(str(target), device="cpu")
    for text in (A, "TIME Flies"):
        assert list(backend.tokenize(text).ids) == library.preprocess([text])["input_ids"][0].tolist()
    assert backend.tokenize(A).max_length == 6
    assert all_cosines(backend) == pytest.approx([cosine(target)] * 7, abs=1e-6)


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


def test_a_run_saved_before_poolings_were_read_has_no_cosine() -> None:
    note = "This folder makes the vector of a text in another way than as the mean (its pooling is cls)."
    with pytest.raises(UnsupportedModelError, match="in another way than as the mean"):
        check_pooling("Another note.", note)


MODULES: dict[str, tuple[Any, str]] = {
    "code": ([{"type": "my_code.Attention", "path": "2_Mine"}], "it has a module 'Attention'"),
    "elsewhere": ([{"type": "x.Pooling", "path": "../other"}], "its pooling lies in '../other'"),
    "in a folder": ([{"type": "x.Transformer", "path": "../other"}], "its Transformer lies in '../other'"),
    "no pooling": ([{"type": "x.Transformer", "path": ""}], "its pooling is not named"),
    "another order": (
        [{"type": "x.Pooling", "path": "1_P"}, {"type": "x.Transformer", "path": ""}],
        "its modules do not begin with one Transformer",
    ),
    "too early": (
        [
            {"type": f"x.{kind}", "path": path}
            for kind, path in (("Transformer", ""), ("Dropout", "1_P"), ("Pooling", "1_P"))
        ],
        "its Dropout reads the vector of a text before its pooling makes one",
    ),
    "no list": ({"type": "x.Pooling"}, "its modules.json cannot be read"),
    "no objects": ([5], "its modules.json cannot be read"),
}


@pytest.mark.parametrize("kind", MODULES)
def test_a_folder_with_what_is_not_understood_has_no_cosine(folder: Path, kind: str) -> None:
    modules, why = MODULES[kind]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_P").mkdir()
    (folder / "1_P" / "config.json").write_text("{}")
    assert_no_cosine(encoder.load(str(folder)), why)


@pytest.mark.parametrize(
    ("about", "modules", "why"),
    [
        ({"model_type": "SparseEncoder"}, [{"type": "x.Static", "path": "1_S"}], "its modules are Transformer, Static"),
        ({"model_type": "MultiVectorEncoder"}, [{"type": "x.Pool", "path": "1_Pool"}], "it has a module 'Pool'"),
        ({}, [{"type": "pylate.models.Dense.Dense", "path": "1_Dense"}], "its modules.json cannot be read"),
        ({"model_type": "Another"}, [], "its model_type is 'Another'"),
        ({"similarity_fn_name": "maxsim"}, [], "it compares texts by 'maxsim'"),
        ({}, None, "its checkpoint has no linear.weight"),
    ],
)
def test_a_folder_of_another_form_has_no_vectors(folder: Path, about: Any, modules: Any, why: str) -> None:
    if modules is None:
        edit_config(folder, architectures=["HF_ColBERT"])
    else:
        (folder / "modules.json").write_text(json.dumps([{"type": "x.Transformer", "path": ""}, *modules]))
        (folder / PROMPTS).write_text(json.dumps(about))
    backend = encoder.load(str(folder))
    assert_no_cosine(backend, why)
    with pytest.raises(UnsupportedModelError, match=why):
        backend.embed([A])
    check = check_of(backend, "Vectors")
    assert check.outcome == "differs"
    assert why in check.sentence


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
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode": "attention"}))
    assert_no_cosine(encoder.load(str(folder)), "its pooling is attention")


DENSES: dict[str, tuple[dict[str, Any], str]] = {
    "code": ({"activation_function": "my_code.Swish"}, "its Dense has the activation 'my_code.Swish'"),
    "another size": ({"out_features": 8}, "the weights of its Dense do not fit"),
}


@pytest.mark.parametrize("kind", DENSES)
def test_a_dense_that_cannot_be_read_leaves_no_cosine(folder: Path, tmp_path: Path, kind: str) -> None:
    changes, why = DENSES[kind]
    target = sentence_folder(folder, tmp_path / "sentences", "mean", dense(WIDTH))
    edit_config(target / "2_Dense", **changes)
    assert_no_cosine(encoder.load(str(target)), why)


def test_a_pickled_dense_is_not_opened(folder: Path, tmp_path: Path) -> None:
    target = sentence_folder(folder, tmp_path / "sentences", "mean", dense(WIDTH))
    (target / "2_Dense" / "model.safetensors").rename(target / "2_Dense" / "pytorch_model.bin")
    assert_no_cosine(encoder.load(str(target)), "its Dense has no safetensors")


def test_a_reranker_is_no_sentence_encoder(folder: Path, tmp_path: Path) -> None:
    target = sentence_folder(folder, tmp_path / "sentences", "mean")
    (target / "config_sentence_transformers.json").write_text(json.dumps({"model_type": "CrossEncoder"}))
    assert not encoder.load(str(target)).pooling.embeds_texts


def test_a_folder_without_modules_is_no_sentence_encoder(folder: Path) -> None:
    backend = encoder.load(str(folder))
    assert not backend.pooling.embeds_texts
    assert backend.trace(A).notes == ()
