"""Which models consist of our modules, and under which names other weights can be loaded into them."""

import pytest

import encoder
from encoder import Backend
from encoder.catalogue import BUILT_IN
from encoder.experiments.anatomy.record import is_ours, name_in_our_modules
from tests.encoder.random_models import Zoo


def test_a_bert_folder_can_be_loaded_into_our_own_encoder(zoo: Zoo) -> None:
    folder = str(zoo.folder("bert"))
    name = name_in_our_modules(encoder.load(folder), folder)
    assert name == f"scratch-bert:{folder}"
    assert is_ours(encoder.load(name))


def test_other_models_have_no_name_in_our_modules(zoo: Zoo, pretrained: Backend, scratch_bert: Backend) -> None:
    assert name_in_our_modules(encoder.load(str(zoo.folder("roberta"))), str(zoo.folder("roberta"))) is None
    assert name_in_our_modules(pretrained, pretrained.name) is None, "a BERT, but no folder that anybody named"
    assert name_in_our_modules(scratch_bert, scratch_bert.name) is None


@pytest.mark.parametrize("name", BUILT_IN)
def test_models_that_ship_are_ours(name: str) -> None:
    assert is_ours(encoder.load(name))
