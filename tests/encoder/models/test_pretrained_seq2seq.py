"""Encoder-decoders of `transformers` write as they would by themselves, and show their three attentions."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from numpy.testing import assert_allclose

from encoder.catalogue import load_writer
from encoder.errors import InputError, UnknownModelError, UnsupportedModelError
from encoder.models.loading import load_seq2seq_folder
from encoder.models.pretrained_seq2seq import PretrainedSeq2Seq
from encoder.offers import needs_consent
from encoder.runs.generation import KINDS, Generation
from tests.encoder.random_models import BART, LAYERS, T5, A, Zoo, build, save, wordpiece_tokenizer
from tests.encoder.text.tokenizer_families import NAMES, family

IDS = {
    "pad_token_id": 0,
    "eos_token_id": 3,
    "bos_token_id": 2,
    "decoder_start_token_id": 2,
    "forced_eos_token_id": None,
}
SPREAD = IDS | BART | {"max_position_embeddings": 64, "init_std": 0.3}
FAMILIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "t5": (
        "T5ForConditionalGeneration",
        "T5Config",
        IDS | T5 | {"num_decoder_layers": LAYERS},
    ),
    "bart": ("BartForConditionalGeneration", "BartConfig", SPREAD),
    "marian": ("MarianMTModel", "MarianConfig", SPREAD | {"decoder_vocab_size": len(wordpiece_tokenizer())}),
}
# Measured over all families: weights differ by 1e-6 at most, hidden states by 2e-6 (they reach 7): the order of sums.
WEIGHTS = {"rtol": 0, "atol": 5e-6}
HIDDEN = {"rtol": 1e-5, "atol": 2e-5}
families = pytest.mark.parametrize("family", FAMILIES)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("writers")


def folder_of(root: Path, family: str) -> Path:
    folder = root / family
    if not folder.exists():
        tokenizer = wordpiece_tokenizer()
        model_class, config_class, settings = FAMILIES[family]
        save(build(model_class, config_class, vocab_size=len(tokenizer), **settings), folder, tokenizer)
    return folder


def loaded(root: Path, family: str) -> PretrainedSeq2Seq:
    return load_seq2seq_folder(family, folder_of(root, family))


@torch.inference_mode()
def eager(root: Path, family: str, generation: Generation) -> Any:
    """What `transformers` itself returns for the tokens that were read."""
    model_class = getattr(transformers, FAMILIES[family][0])
    model = model_class.from_pretrained(folder_of(root, family), attn_implementation="eager").eval()
    source, read = (torch.tensor([tokens.ids]) for tokens in (generation.source.tokens, generation.target.tokens))
    return model(
        input_ids=source, decoder_input_ids=read, output_attentions=True, output_hidden_states=True, return_dict=True
    )


@families
def test_the_three_attentions_are_the_models_own(root: Path, family: str) -> None:
    generation = loaded(root, family).generate(A)
    expected = eager(root, family, generation)
    theirs = dict(
        zip(KINDS, (expected.encoder_attentions, expected.decoder_attentions, expected.cross_attentions), strict=True)
    )
    for kind in KINDS:
        assert len(generation.layers(kind)) == len(theirs[kind]) == LAYERS
        for layer, weights in enumerate(theirs[kind]):
            assert_allclose(
                generation.weights(kind, layer), weights[0].numpy(), **WEIGHTS, err_msg=f"{kind} attention, L{layer}"
            )
    for trace, states in (
        (generation.source, expected.encoder_hidden_states),
        (generation.target, expected.decoder_hidden_states),
    ):
        assert_allclose(trace.hidden_states, torch.cat(states).numpy(), **HIDDEN)
    assert generation.written.ids == tuple(expected.logits[0].argmax(-1).tolist())


@families
def test_what_is_written_is_what_transformers_writes_greedily(root: Path, family: str) -> None:
    backend = loaded(root, family)
    generation = backend.generate(A, max_length=12)
    ids = torch.tensor([generation.source.tokens.ids])
    theirs = backend.model.generate(ids, max_new_tokens=12, do_sample=False, num_beams=1)[0].tolist()
    assert theirs[0] == generation.target.tokens.ids[0]
    assert tuple(theirs[1:]) == generation.written.ids
    assert generation.complete == (theirs[-1] == IDS["eos_token_id"])
    assert generation.target.tokens.ids[1:] == generation.written.ids[:-1]
    for step, label in zip(generation.candidates, generation.written.labels, strict=True):
        assert step[0].label == label


def test_written_pieces_are_put_together_to_words(root: Path) -> None:
    backend = loaded(root, "bart")
    ids = backend.tokenizer.inner.convert_tokens_to_ids(["[CLS]", "time", "over", "##s", "##ing", "a", "[SEP]"])
    tokens = backend._written_tokens(ids)
    assert tokens.words == ("time", "oversing", "a")
    assert tokens.word_ids == (None, 0, 1, 1, 1, 2, None)
    assert tokens.labels == ("[CLS]", "time", "over", "##s", "##ing", "a", "[SEP]")


@pytest.mark.parametrize("name", NAMES[1:])
def test_what_is_written_has_the_words_of_what_is_read(name: str) -> None:
    writer = object.__new__(PretrainedSeq2Seq)
    writer.tokenizer, writer.start_id = family(name), -1
    read = writer.tokenizer("film, isn't it? (the) a" + ("東京に 😂" if name in NAMES[1:3] else ""))
    written = writer._written_tokens(read.ids)
    assert (written.words, written.word_ids, written.labels) == (read.words, read.word_ids, read.labels)


def test_a_model_without_a_decoder_is_refused(tmp_path: Path) -> None:
    folder = Zoo(tmp_path).folder("bert")
    with pytest.raises(UnsupportedModelError, match=r"bert.* is not an encoder-decoder"):
        load_seq2seq_folder("bert", folder)


def test_the_catalogue_loads_writers_by_name_and_by_folder(root: Path) -> None:
    before = torch.get_rng_state()
    assert load_writer().name == "seq2seq"
    assert torch.equal(before, torch.get_rng_state())
    assert load_writer(str(folder_of(root, "t5"))).generate(A, max_length=2).cross
    assert not needs_consent("seq2seq")
    for name in ("", "/no/such/folder"):
        with pytest.raises(UnknownModelError):
            load_writer(name)


def test_an_empty_text_is_refused(root: Path) -> None:
    with pytest.raises(InputError, match="empty"):
        loaded(root, "t5").generate("  ")
