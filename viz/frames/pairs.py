"""Why two texts are similar, in Python: pairs of their words as pandas frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from encoder.text.readings import Unread

if TYPE_CHECKING:
    from encoder import Backend
    from encoder.comparison.pair_differences import SplitCosine


def similar_because(model: Backend, a: str, b: str, *, in_search: bool = False) -> pd.DataFrame:
    """Why two texts are similar: what each pair of a word of A and a word of B adds to the cosine, the most first.

    Where the model's folder compares texts by the dot product, as SPLADE does, that is split; of ColBERT, MaxSim.

    Args:
        in_search: whether A is a query and B a text, read with the folder's prompts for these; ColBERT's always are.
    Returns:
        The two words, what they add, and the `cosine` of their last states, the largest of which MaxSim adds up over
        the words of A (Khattab and Zaharia 2020), which ColBERT does not compare. The `attrs` have the `total` that is
        split, and the rest of it: `references`, what the texts with every word masked add, and `error`, what all miss;
        of MaxSim and SPLADE `rest`, what special tokens and markers add. A UserWarning says whether a text is cut off.
    Raises:
        ArgumentError: a text has no word.
        UnsupportedModelError: the model has no mask token, or pools in a way that is not supported.
    """
    from encoder.collection.search import max_sim, max_sim_of_hit
    from encoder.comparison.exact_splits import ExactSplit
    from encoder.measures.units import units_of

    found, texts = _split(model, a, b, in_search=in_search)
    Unread.of(*texts).warn()
    words_of_a, words_of_b = (units_of(tokens, level="words", special="hide").labels for tokens in texts)
    pairs = pd.MultiIndex.from_product([words_of_a, words_of_b], names=["a", "b"]).to_frame(index=False)
    pairs["adds"] = found.values.ravel()
    if model.pooling.late is None:
        of_states = (
            max_sim_of_hit(model, a, b, "words") if in_search else max_sim(*map(model.trace, (a, b)), level="words")
        )
        pairs["cosine"] = of_states.cosines.ravel()
    pairs = pairs.sort_values("adds", ascending=False, kind="stable", ignore_index=True)
    if isinstance(found, ExactSplit):
        pairs.attrs = {"total": found.score, "rest": found.rest}
    else:
        error = found.cosine - found.references - float(found.values.sum())
        pairs.attrs = {"total": found.cosine, "references": found.references, "error": error}
    return pairs


def _split(model: Backend, a: str, b: str, *, in_search: bool = False) -> SplitCosine:
    """The pairs of words of two texts, and the texts as they were read."""
    from encoder.collection.hit_test import split_of_hit
    from encoder.collection.search import tokens_of_hit
    from encoder.comparison.similarity_map import similarity_map

    if in_search or model.pooling.splits_exactly:
        return split_of_hit(model, a, b, "words"), tokens_of_hit(model, a, b)
    texts = model.tokenize(a), model.tokenize(b)
    return similarity_map(model, *texts, level="words"), texts


def pair_differences(model: Backend, other: Backend, a: str, b: str) -> pd.DataFrame:
    """Which pairs of words two models weigh most differently in the cosine of two texts; those first.

    Returns:
        A word of A, a word of B, and what the pair adds by each model: `share` and `other_share` of all that the pairs
        of that model add and take away.
    Raises:
        ArgumentError, UnsupportedModelError: as `similar_because`.
    """
    from encoder.comparison import pair_differences as comparison

    splits = _split(model, a, b), _split(other, a, b)
    Unread.of(*(tokens for _, texts in splits for tokens in texts)).warn()
    return pd.DataFrame(comparison.pair_differences(*splits).columns)
