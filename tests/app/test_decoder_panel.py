"""The decoder's view, without a browser: its tasks, its steps, its three attentions, and other models."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from encoder.measures.combined_attention import attention_to_copied_tokens_by_head
from encoder.shipped.seq2seq import exact_match
from encoder.shipped.tasks import EXAMPLES
from tests.app.app_script import (
    choose,
    chosen,
    click,
    layer_of,
    map_data,
    open_page,
    open_settings,
    run,
    sentences_of,
    shown_view,
    texts_of,
    type_texts,
    unfold,
)
from tests.encoder.random_models import build, save, wordpiece_tokenizer
from viz.caches import writers
from viz.caches.memo import VALUES
from viz.wording.numbers import percent


def open_decoder(**link: str) -> AppTest:
    return open_page(view="decoder", **link)


def test_a_task_is_done_and_its_accuracy_named() -> None:
    at = open_decoder()
    choose(at, task="date")
    assert texts_of(at)["source"] == EXAMPLES["date"]
    figure = exact_match("date")
    assert "**Right.**" in sentences_of(at)
    assert f"{percent(figure.value, 1)} of {figure.n:,} items of this task: {figure.test_set}" in sentences_of(at)
    assert figure.n == 2000


def test_a_text_of_ones_own_stays_when_the_task_changes() -> None:
    at = open_decoder(source="arrow time banana")
    choose(at, task="sort")
    assert texts_of(at)["source"] == "arrow time banana"
    assert "writes **arrow**" in sentences_of(step(at, "back", times=3))


def step(at: AppTest, button: str, times: int = 1) -> AppTest:
    for _ in range(times):
        click(at, f"decoder_{button}")
    return at


def test_the_steps_follow_each_other() -> None:
    at = open_decoder()
    labels = ("arrow", "an", "like", "flies", "time", "[END]")
    assert at.button(key="decoder_back").disabled
    for index, label in enumerate(labels):
        if index:
            step(at, "next")
            assert at.query_params["at_step"] == str(index)
            assert at.query_params["query"] == str(7 + index)
            assert at.query_params["pinned_in"] == "decoder"
        read = ("[START]", *labels)[index].replace("[", r"\[").replace("]", r"\]")
        written = label.replace("[", r"\[").replace("]", r"\]")
        before = " ".join(labels[:index]) or "nothing yet"
        assert f"**Step {index + 1} of 6.** Written so far: {before}. The decoder reads **{read}**" in sentences_of(at)
        assert f"writes **{written}**" in sentences_of(at)
    assert at.button(key="decoder_next").disabled
    at.select_slider(key="decoder_step").set_value(2)
    assert "**Step 3 of 6.**" in sentences_of(run(at))


def test_another_text_starts_at_its_own_last_step() -> None:
    at = step(open_decoder(), "next")
    type_texts(at, source="arrow time")
    assert "**Step 3 of 3.**" in sentences_of(at)
    assert "at_step" not in at.query_params
    assert "query" not in at.query_params


@pytest.mark.parametrize(
    ("kind", "picture"),
    [
        ("all", "neuron view"),
        ("all", "head view"),
        ("cross", "heat map"),
        ("cross", "model view"),
        ("encoder", "heat map"),
    ],
)
def test_a_picture_says_what_it_shows_of_an_attention(kind: str, picture: str) -> None:
    at = open_decoder(kind=kind, picture=picture, layer="1", head="1")
    alone = (kind, picture) == ("all", "neuron view")
    assert ("shows one attention at a time" in sentences_of(at)) == alone
    assert ("How to read" in sentences_of(at)) != alone
    known = "It is known where every written token comes from" in sentences_of(at)
    assert known == (kind in ("cross", "all") and picture in ("heat map", "head view"))


def test_the_head_that_follows_the_alignment_best_is_a_click_away() -> None:
    at = open_decoder(layer="0", head="0")
    shares = attention_to_copied_tokens_by_head(writers.generation("seq2seq", "reverse", EXAMPLES["reverse"]))  # (L, H)
    assert f"In layer 0, head 0, {percent(float(shares[0, 0]))} of the attention" in sentences_of(at)
    click(at, "decoder_most")
    layer, head = np.unravel_index(shares.argmax(), shares.shape)
    assert (at.query_params["layer"], at.query_params.get("head", "0")) == (str(layer), str(head))
    assert f"In layer {layer}, head {head}, {percent(float(shares.max()))} of the attention" in sentences_of(at)
    assert at.button(key="decoder_most").disabled


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("   ", "The text is empty"),
        ("</script> 🙂", "and not '<', 'script', '>', '🙂'"),
        ("word " * 10_000, "The text has 10,000 tokens; this small model reads 14 at most"),
    ],
)
def test_bad_input_gets_a_message_and_stays(source: str, message: str) -> None:
    at = open_decoder()
    type_texts(at, source=source)
    assert message in at.error[0].value.replace("\\", "")
    assert texts_of(at)["source"] == source
    assert shown_view(at) == "decoder"
    assert "**Right.**" in sentences_of(type_texts(at, source="arrow time"))


def test_the_attention_to_hidden_tokens_is_sent() -> None:
    at = open_decoder(task="date", source=EXAMPLES["date"], special="hide", level="words", layer="1")
    view = map_data(at)
    assert (view["special"], view["removed"]) == ("hide", "removed_cross")
    arrays = layer_of(at, view).arrays
    assert arrays["removed_cross"].shape == arrays["removed_decoder"].shape
    assert 0 <= arrays["removed_cross"].min() < arrays["removed_cross"].max() <= 1


def test_going_to_the_decoder_and_back_loses_nothing() -> None:
    given = {"a": "my own sentence", "b": "and another", "tags": "3", "layer": "5", "head": "11", "query": "2"}
    at = open_page(**given)
    choose(at, view="decoder")
    assert chosen(at) == (1, 0)
    choose(at, head=2)
    choose(at, view="heat map")
    assert texts_of(at)["a"] == "my own sentence"
    assert texts_of(at)["b"] == "and another"
    assert {name: at.query_params[name] for name in given} == given
    choose(at, view="decoder")
    assert chosen(at) == (1, 2)


def test_a_model_of_another_kind_needs_a_click_and_fails_with_a_sentence(tmp_path: Path) -> None:
    at = open_decoder(writer=str(tmp_path))
    assert "The page goes on with" in sentences_of(at)
    assert not at.error
    click(at, "load_model")
    assert "holds no config.json" in at.error[0].value.replace("\\", "")
    assert "**Right.**" in sentences_of(at)


def small_bart(folder: Path, *, decoder_layers: int = 2) -> Path:
    tokenizer = wordpiece_tokenizer()
    sizes = {"encoder_layers": 2, "decoder_layers": decoder_layers, "d_model": 16, "max_position_embeddings": 64}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 8, "decoder_ffn_dim": 8}
    ids = {"pad_token_id": 0, "eos_token_id": 3, "bos_token_id": 2, "decoder_start_token_id": 2}
    model = build(
        "BartForConditionalGeneration", "BartConfig", vocab_size=len(tokenizer), init_std=0.3, **sizes, **heads, **ids
    )
    return save(model, folder, tokenizer)


def test_an_encoder_decoder_of_transformers_shows_its_attentions(tmp_path: Path) -> None:
    folder = str(small_bart(tmp_path / "bart"))
    at = open_decoder(writer=folder, source="time flies like an arrow", kind="all")
    click(at, "load_model")
    generation = writers.generation(folder, "reverse", "time flies like an arrow")
    assert f"of {len(generation.written)}.**" in sentences_of(at)
    assert "How to read" in sentences_of(at)
    assert "without beams" in sentences_of(at)
    assert "**Right.**" not in sentences_of(at)
    assert "It is known where every written token" not in sentences_of(at)
    assert at.button_group(key="task").disabled


def test_an_encoder_decoder_that_was_trained_further_is_loaded_again(tmp_path: Path) -> None:
    at = click(open_decoder(writer=str(small_bart(tmp_path))), "load_model")
    assert "2 layers × 2 heads" in sentences_of(open_settings(at))
    small_bart(tmp_path, decoder_layers=1)
    run(at)
    assert "The files of this model have changed" in " ".join(info.value for info in at.info)
    assert not at.error


def test_a_half_with_fewer_layers_says_so(tmp_path: Path) -> None:
    folder = str(small_bart(tmp_path / "bart", decoder_layers=1))
    at = open_decoder(writer=folder, source="time flies", layer="1")
    click(at, "load_model")
    assert map_data(at)["layers"] == 1
    choose(at, kind="encoder")
    assert map_data(at)["layers"] == 2
    layer_of(at, map_data(at))


def test_the_encoders_picker_says_where_encoder_decoders_are(tmp_path: Path) -> None:
    at = click(open_page(model=str(small_bart(tmp_path / "bart"))), "load_model")
    assert "name it in the view “Decoder”" in at.error[0].value


def test_the_texts_of_earlier_layers_are_compared_with_the_right_answer(tmp_path: Path) -> None:
    VALUES.clear()
    at = open_decoder(task="sort", source=EXAMPLES["sort"])
    assert not [frame for frame in at.dataframe if "it writes" in frame.value]
    unfold(at, "decoder_lens")
    table = next(frame.value for frame in at.dataframe if "it writes" in frame.value)
    assert list(table["right"]) == ["✗", "✗", "✓"]
    at = open_decoder(writer=str(small_bart(tmp_path / "bart")))
    click(at, "load_model")
    assert not at.error
    assert not [frame for frame in at.dataframe if "it writes" in frame.value]
