"""The tags that the model's own head gives to words, and the entities that they name."""

from __future__ import annotations

from typing import Final

import numpy as np

from encoder.measures.near_ties import first_largest
from encoder.measures.word_tags import OUTSIDE, Entity, WordTags, entities, scheme_in_words, word_tags
from encoder.runs.trace import Trace
from encoder.text.tokens import Tokens
from viz.answers.answer import Answer, Chart, Columns, Part, Sentence, Table
from viz.figures.tagged_words import tagged_words
from viz.wording.explanations import OF_PROBABILITIES, Explanation
from viz.wording.labels import escape_markdown, name_label, safe_name
from viz.wording.numbers import percent

EXPLANATION: Final = Explanation(
    "A token-classification head turns the last vector of each token into one logit per tag, and softmax turns them "
    "into probabilities. A word has the tag of its first piece.",
    OF_PROBABILITIES,
)
MOST_NAMED: Final = 6  # entities in the sentence
MOST_IN_HOVER: Final = 3  # tags


def answer_of_tags(trace: Trace) -> Answer:
    """The words with their tags, the entities in a sentence, and both as tables.

    Args:
        trace: of a model that tags tokens.
    """
    tags, tokens = word_tags(trace), trace.tokens
    if tags is None or not tags.words:
        return Answer((Sentence("There is no word to tag: type one.", "info"),))
    named = entities(tags, tokens) if tags.names_entities else []
    parts: list[Part] = [Sentence(_in_a_sentence(tags, named, tokens), "subheading"), _chart(tags, tokens)]
    if tags.names_entities:
        said = "The probability of an entity is the mean over its words."
        parts.append(Sentence(f"{escape_markdown(scheme_in_words(tags.labels))} {said}", "caption"))
    tables = [Table(name="tags", title="The tags as a table", columns=lambda: _columns(tags, tokens))]
    if named:
        title = "The entities as a table"
        tables.insert(0, Table(name="entities", title=title, columns=lambda: _entity_columns(named, tokens)))
    return Answer((*parts, *tables))


def _entity_name(entity: Entity, tokens: Tokens) -> str:
    """The words of an entity, visible and shortened."""
    return name_label(" ".join(tokens.words[word] for word in entity.words))


def _in_a_sentence(tags: WordTags, named: list[Entity], tokens: Tokens) -> str:
    if not tags.names_entities:
        row = int(first_largest(-tags.probabilities.max(1)))
        word = safe_name(tokens.words[tags.words[row]])
        tag, share = escape_markdown(tags.likeliest[row]), percent(float(tags.probabilities[row].max()))
        count = len(tags.words)
        if count == 1:
            return f"The model tags “{word}” as **{tag}** ({share})."
        return f"The model tags {count} words. It is least sure of “{word}”: **{tag}** ({share})."
    if not named:
        return "The model finds **no entity**."
    found = []
    for each in named[:MOST_NAMED]:
        name, label = (escape_markdown(text) for text in (_entity_name(each, tokens), each.label))
        found.append(f"**{name}** ({label}, {percent(each.probability)})")
    if len(named) > MOST_NAMED:
        found.append(f"{len(named) - MOST_NAMED} more")
    return f"The model finds {_listed(found)}."


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _chart(tags: WordTags, tokens: Tokens) -> Chart:
    words = [tokens.words[word] for word in tags.words]
    shares = tags.probabilities.max(1).tolist()
    below = [(tag, percent(share)) for tag, share in zip(tags.likeliest, shares, strict=True)]
    order = np.argsort(-tags.probabilities, axis=1, kind="stable")[:, :MOST_IN_HOVER]  # (R, 3)
    hover = [
        "\n".join([word, *(f"{tags.labels[tag]} {percent(float(row[tag]), 1)}" for tag in likeliest)])
        for word, row, likeliest in zip(words, tags.probabilities, order.tolist(), strict=True)
    ]
    return Chart(
        name="tags",
        alt=f"Each of {len(words)} words with its tag and the tag's probability under it.",
        figure=lambda theme: tagged_words(
            words, below, marked=[tag not in OUTSIDE for tag in tags.likeliest], hover=hover, theme=theme
        ),
    )


def _columns(tags: WordTags, tokens: Tokens) -> Columns:
    order = np.argsort(-tags.probabilities, axis=1, kind="stable")  # (R, C)
    rows = np.arange(len(order))
    columns: Columns = {
        "word": [tokens.words[word] for word in tags.words],
        "tag": tags.likeliest,
        "probability": tags.probabilities[rows, order[:, 0]],
    }
    if order.shape[1] == 1:
        return columns
    second = [tags.labels[index] for index in order[:, 1]]
    return {**columns, "next_tag": second, "its_probability": tags.probabilities[rows, order[:, 1]]}


def _entity_columns(named: list[Entity], tokens: Tokens) -> Columns:
    return {
        "entity": [" ".join(tokens.words[word] for word in each.words) for each in named],
        "kind": [each.label for each in named],
        "first_word": [each.words[0] for each in named],
        "words": [len(each.words) for each in named],
        "probability": [each.probability for each in named],
    }
