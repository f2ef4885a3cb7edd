"""Where two runs differ: attention of all heads and of one, states of words, and predictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from encoder.comparison.alignment import Alignment
from encoder.comparison.compare import PERMUTATIONS, SAME, Comparison, HeadDifferences, WordDifferences
from encoder.comparison.run_differences import furthest_from_zero
from encoder.measures.inference import LEVEL
from encoder.measures.near_ties import largest_first
from encoder.measures.unit_attention import MEAN, head_or_mean
from encoder.measures.word_tags import word_tags
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Prediction, TokenTask, Trace
from encoder.shipped.probes import WordClasses, has_probes, word_classes
from encoder.text.readings import knows_no_word
from viz.answers.answer import Answer, Chart, Columns, Part, Sentence, Table
from viz.answers.answer_spans import best_answer
from viz.answers.head_maps import chart_of_heads
from viz.answers.masked_words import shares_at_masks
from viz.answers.verdicts import untrained_caveat
from viz.figures.aligned_words import aligned_words, height_of_rows
from viz.figures.differences import LEAST, difference_map, word_distance_map
from viz.figures.effects import least_height_of_map
from viz.state.selection import Selection
from viz.views.compare.answer.sides import Sides, same_size
from viz.wording.explanations import Explanation
from viz.wording.labels import (
    escape_markdown,
    head_in_words,
    heads_in_words,
    in_markdown,
    numbered,
    state_names,
    word_label,
)
from viz.wording.numbers import p_in_words, percent, written
from viz.wording.readings import counted
from viz.wording.tags import TAG_NAMES

EXPLANATION: Final = Explanation(
    "Only words that both texts have are compared, without case, pieces of a word together. A click on a head selects "
    "it; a click on a cell pins a query and a key.",
    "A head that differs need not be the cause.",
)
LINE_WIDTH: Final = 600  # pixels of a line of aligned words
SMALL_CELLS: Final = 24  # of a head's small picture, along each side
ROOM_FOR_PICTURES: Final = 660  # pixels for the small pictures of a layer, as many as the page's column has
NAMED_HEADS: Final = 3  # in the answer
LEAST_SHARE: Final = 1e-6  # of a part of speech, so that its log odds are finite
DECIMALS: Final = 3  # of predictions and cosines on the page
DISTANCES: Final[Mapping[str, str]] = {"states": "cosine distance", "structure": "difference of cosines"}
MEANINGS: Final[Mapping[str, str]] = {
    "states": "The distance is one minus the cosine of a word's two states.",
    "structure": "States of two models have no common axes and no cosine. So each word's cosines to the other shared "
    "words are taken within either model; the distance is the mean of how much these differ.",
}


def introduction(found: Comparison, sides: Sides) -> Answer:
    """What has to be known of the two runs, and the reason if there is nothing more to compare."""
    runs = (sides.a, sides.b)
    caveat = untrained_caveat(*(run.model_name for run in runs))
    parts = [Sentence(caveat, "warning")] if caveat else []
    if said := " ".join(filter(None, [sides.note, *_warnings(sides)])):
        parts.append(Sentence(said, "caption"))
    if found.is_without_difference:
        missing = (
            f"**No difference.** Both runs have the same words, and to within {SAME} the same attention and states."
        )
    elif found.heads is None:
        missing = "The two texts share no word, so that neither heads nor words can be compared."
    else:
        return Answer(tuple(parts))
    return Answer((*parts, Sentence(missing, "info")))


def _warnings(sides: Sides) -> list[str]:
    said = []
    for run, name in zip((sides.a, sides.b), sides.in_markdown, strict=True):
        if cut := sum(run.tokens.truncated):
            said.append(f"**{name} does not have the last {cut:,} tokens, which were cut off.**")
    if knows_no_word([sides.a.tokens, sides.b.tokens]):
        said.append("**The model knows none of these words: it reads the same piece, “unknown”, for each.**")
    return said


def words_side_by_side(found: Comparison, sides: Sides, *, line_width: int = LINE_WIDTH) -> Answer:
    """Both texts in two rows, with a gap where a word is in one of them only; empty where no word is."""
    alignment = found.runs.alignment
    if len(alignment.shared) == len(alignment.columns):
        return Answer(())
    first = [None if in_a is None else alignment.a.labels[in_a] for in_a, _ in alignment.columns]
    second = [None if in_b is None else alignment.b.labels[in_b] for _, in_b in alignment.columns]
    chart = Chart(
        name="aligned-words",
        alt="The words of both texts in two rows, each above the one that it is aligned with.",
        figure=lambda theme: aligned_words(first, second, names=sides.names, theme=theme, width=line_width),
        least_height=height_of_rows(first, second, names=sides.names, width=line_width),
    )
    return Answer((chart,))


def shown_head(found: Comparison, selection: Selection) -> tuple[int, int]:
    """The head whose difference belongs to the answer: a stop's own, a chosen one of the first three, or the first."""
    first, chosen = found.largest_heads(NAMED_HEADS), (selection.layer, selection.head)
    return chosen if selection.tour or chosen in first else first[0]


def short_answer(found: Comparison, sides: Sides, heads: HeadDifferences) -> Answer:
    """The heads that differ most, in a sentence, and whether that may be chance."""
    stake = list(_at_stake(sides))
    parts: list[Part] = [*stake]
    largest = found.largest_heads(NAMED_HEADS)
    shares = [float(heads.distances[head]) for head in largest]
    if shares[0] <= SAME:
        return Answer((*stake, Sentence("**The attention of no head differs.**")))
    named = [
        f"layer {layer}, head {head} ({100 * share:.0f} %)"
        for (layer, head), share in zip(largest, shares, strict=True)
    ]
    first, second = sides.in_markdown
    by_likeness = sides.matching == "likeness"
    if by_likeness:
        partner = head_in_words(*found.partner(*largest[0]))
        compared = f" from the head of {second} that is most like it, {partner}: a word moves"
    else:
        compared = f": from {first} to {second}, a word moves"
    said = (
        f"**Layer {largest[0][0]}, head {largest[0][1]} differs most**{compared} {100 * shares[0]:.0f} % of its "
        "attention, on average."
    )
    if named[1:]:
        said += f" Next {'comes' if len(named) == 2 else 'come'} {' and '.join(named[1:])}."
    if not (heads.p_values < LEVEL).any():
        said += f" This order may be chance ({p_in_words(float(heads.p_values.min()))})."
    parts.append(Sentence(said))
    if sides.measure == "structure":
        paired = (
            f"Each head of {first} is compared with the head of {second} whose rows differ least, by half the sum of "
            "their absolute differences, **on this text alone**. Several may have the same one."
            if by_likeness
            else "Heads are paired by their numbers, which means something only where one model was trained from the "
            "other."
        )
        parts.append(Sentence(f"{_why_by_likeness(sides)}{paired}", "caption"))
    return Answer(tuple(parts))


def _at_stake(sides: Sides) -> Iterator[Sentence]:
    """What the silenced heads do to the model's answer: to the reading of a word, or to the likeliest class."""
    run, silenced = sides.a, sides.b
    if not silenced.silenced_heads:
        return
    heads = heads_in_words(silenced.silenced_heads)
    if has_probes(run.model_name):
        yield Sentence(_reading_at_stake(heads, run, word_classes(run), word_classes(silenced)))
    elif run.prediction and run.prediction.trained and silenced.prediction:
        before, after = run.prediction.probabilities, silenced.prediction.probabilities
        if before is not None and after is not None:
            label = int(before.argmax())
            yield Sentence(
                f"**Without {heads}, the model says “{escape_markdown(run.prediction.labels[label])}” with "
                f"{percent(float(after[label]))}**; with all heads {percent(float(before[label]))}."
            )


def _reading_at_stake(heads: str, run: Trace, classes: WordClasses, without: WordClasses) -> str:
    """The word whose likeliest part of speech, after the last layer, loses or gains most log odds."""
    own, other = classes.probabilities[-1], without.probabilities[-1]  # (W, C)
    known = np.flatnonzero(~np.isnan(own).any(-1))
    tags = own[known].argmax(-1)
    shares = np.stack([each[known, tags] for each in (own, other)]).clip(LEAST_SHARE, 1 - LEAST_SHARE)
    changes = np.subtract(*np.log(shares / (1 - shares))[::-1])
    most = int(largest_first(np.abs(changes))[0])
    name = in_markdown(run.tokens.words[known[most]])
    now = int(other[known[most]].argmax())
    turned = f" and {TAG_NAMES[classes.tags[now]]} with {percent(float(other[known[most], now]))}"
    before, after = shares[:, most].tolist()
    return (
        f"**Without {heads}, the model reads “{name}” as {TAG_NAMES[classes.tags[tags[most]]]} with {percent(after)}**"
        f"{'' if now == tags[most] else turned}; with all heads {percent(before)}. Of all words it changes most: by "
        f"{written(float(changes[most]), '+.1f')} in log odds."
    )


def _why_by_likeness(sides: Sides) -> str:
    if same_size(sides.a, sides.b):
        return ""
    first, second = (f"{run.num_layers} layers × {run.num_heads} heads" for run in (sides.a, sides.b))
    return f"The models have {first} and {second}, so that heads cannot be paired by their numbers. "


def all_heads(heads: HeadDifferences, selection: Selection) -> Answer:
    """A map of all heads."""
    largest = float(heads.distances.max())
    chart = chart_of_heads(
        "compare-heads",
        heads.distances,
        heads.p_values < LEVEL,
        alt=f"How far the attention of {heads.distances.size} heads differs, from 0 to {largest:.3f}: layers downward.",
        name="distance of rows, 0 to 1",
        number_format=".3f",
        signed=False,
        high=max(largest, LEAST),
        chosen=(selection.layer, selection.head),
    )
    return Answer((Sentence("Which heads differ most?", "heading"), chart))


def head_in_numbers(heads: HeadDifferences, layer: int, head: int) -> str:
    """The distance of a head, with its p."""
    return f"{heads.distances[layer, head]:.3f} · {p_in_words(float(heads.p_values[layer, head]))}"


def word_in_numbers(words: WordDifferences, index: int) -> str:
    """The distance of a word, and how many of the other words are as near."""
    others = len(words.distances) - 1
    as_near = round(float(words.others_as_near[index]) * others) if others else 0
    count = f" · {as_near} of {counted(others, 'other word')} as near" if others else ""
    return f"{words.distances[index]:.3f}{count}"


def all_heads_in_numbers(found: Comparison, heads: HeadDifferences) -> Answer:
    """How distances and p values are computed, and a row for each head, the largest distance first."""
    count, rows = int((heads.p_values < LEVEL).sum()), len(found.runs.alignment.shared)
    marked = f"Frames mark p < {LEVEL}: {count} of {heads.p_values.size} heads"
    verdict = marked if count else f"**No head has p < {LEVEL}: the order above may be chance**"
    control = (
        "The distance of two rows is half the sum of their absolute differences over the shared words (the total "
        "variation distance where all words are shared); a head's is the mean over its "
        f"{'one row' if rows == 1 else f'{rows} rows'}. p is how often some head reaches "
        f"as large a mean when each row's distances are assigned to random heads, in {PERMUTATIONS} tries. "
        f"{verdict}."
    )
    order = list(largest_first(heads.distances))
    layers, numbers = np.unravel_index(order, heads.distances.shape)
    partners = found.runs.partners
    matched: Columns = {}
    if partners is not None:
        matched = {"matched_layer": partners[layers, numbers, 0], "matched_head": partners[layers, numbers, 1]}
    columns = {"layer": layers, "head": numbers, **matched} | {
        name: values.ravel()[order] for name, values in (("distance", heads.distances), ("p", heads.p_values))
    }
    table = Table(name="compare-heads", title="The heads as a table", columns=lambda: columns)
    return Answer((Sentence(control, "caption"), table))


def one_head(
    found: Comparison,
    sides: Sides,
    of_layer: FloatArray,
    selection: Selection,
    *,
    layer: int,
    head: int,
    pinned: tuple[int | None, int | None] = (None, None),
) -> Answer:
    """A head's attention in the second run minus that in the first.

    Args:
        of_layer: (H, P, P) the second run's attention minus the first's, in that layer.
        head: -1 for the mean over heads.
        pinned: the row and the column of a pinned query and key.
    """
    alignment, (first, second) = found.runs.alignment, sides.in_markdown
    differences, labels = head_or_mean(of_layer, head), alignment.shared_labels  # (P, P)
    name = head_in_words(layer, head)
    names, largest = numbered(labels), float(np.nanmax(np.abs(differences), initial=0))
    chart = Chart(
        name="attention-difference",
        alt=f"Attention of {name}, the second run minus the first: {len(labels)} queries downward by keys.",
        figure=lambda theme: difference_map(differences, labels, pinned=pinned, theme=theme),
        width="figure",
    )
    table = Table(
        name=f"difference-L{layer}-mean" if head == MEAN else f"difference-L{layer}-H{head}",
        title="The differences as a table",
        columns=lambda: {"query (from)": names, **dict(zip(names, differences.T, strict=True))},
        on_page="download",
    )
    how_to_read = Sentence(_one_head_in_words(alignment, sides, largest, selection), "caption")
    if sides.matching == "likeness" and head != MEAN:
        second = f"{second} ({head_in_words(*found.partner(layer, head))})"
    return Answer((Sentence(f"{name.capitalize()}: {second} minus {first}", "heading"), chart, how_to_read, table))


def _one_head_in_words(alignment: Alignment, sides: Sides, largest: float, selection: Selection) -> str:
    """How to read the map, and what it omits; `largest` is the largest absolute difference."""
    first, second = sides.in_markdown
    scale = f"{max(largest, LEAST):.2g}"
    said = [
        f"Blue: the query looks at the key more in {second}; orange: more in {first}. Colours run from −{scale} to "
        f"+{scale}, for this head alone."
    ]
    if not largest:
        said.insert(0, "**No difference in this head.**")
    if len(alignment.shared) < len(alignment.columns):
        said.append("Words of one text alone are left out.")
    if selection.special == "renormalise":
        said.append("Each run's rows are scaled to sum to 1 over the words of its own text.")
    elif selection.special == "hide":
        said.append("Special tokens are hidden, and the rows left as they are.")
    return " ".join(said)


def title_of_pictures(sides: Sides) -> str:
    """The title of `pictures_of_heads`, as plain text."""
    first, second = sides.in_words
    return f"All heads at once: {second} minus {first}"


def pictures_of_heads(
    found: Comparison, sides: Sides, heads: HeadDifferences, pictures: FloatArray, selection: Selection
) -> Answer:
    """A small map of each head's difference, all on one scale.

    Args:
        pictures: (L, H, G, G) `pooled_differences` in `SMALL_CELLS`.
    """
    furthest, count = furthest_from_zero(pictures), len(found.runs.alignment.shared)
    chart = chart_of_heads(
        "compare-all-heads",
        furthest,
        heads.p_values < LEVEL,
        alt=f"The differences of {furthest.size} heads as small pictures: layers downward, heads across.",
        least_height=least_height_of_map(len(furthest)),
        name="largest difference of attention",
        number_format="+.3f",
        signed=True,
        high=max(float(np.abs(furthest).max()), LEAST),
        chosen=(selection.layer, selection.head),
        room=ROOM_FOR_PICTURES,
        pictures=pictures,
    )
    first, second = sides.in_markdown
    shared = "the shared word" if count == 1 else f"the {count} shared words"
    said = (
        f"Queries run down and keys across, over {shared}. Blue: more attention in {second}; orange: "
        f"more in {first}. All heads share one scale, so that they can be compared. Frames mark p < {LEVEL}, as above."
    )
    if count > SMALL_CELLS:
        most = -(-count // SMALL_CELLS)
        said = f"{said} A cell stands for up to {most} × {most} words, and shows their largest difference."
    return Answer((chart, Sentence(said, "caption")))


def words(found: Comparison) -> Answer:
    """The word that differs most, and a map of all shared words by state; or the reason why there is none."""
    heading, of_words = Sentence("Which words differ most?", "heading"), found.words
    if of_words is None:
        why = "Two models' words are compared by their cosines to each other, and this text has one word only."
        return Answer((heading, Sentence(why, "info")))
    names, measure = _shared_words(found), DISTANCES[of_words.measure]
    [largest] = found.largest_words(1)
    numbers = word_in_numbers(of_words, largest)
    chart = Chart(
        name="compare-words",
        alt=f"The {measure} of {len(names)} shared words: states downward, words across.",
        figure=lambda theme: word_distance_map(of_words.by_state, names, name=measure, theme=theme),
        width="figure",
    )
    name = escape_markdown(word_in_list(found, largest))
    return Answer((heading, Sentence(f"**“{name}” differs most**: {numbers}."), chart))


def word_in_list(found: Comparison, index: int) -> str:
    """The name of a shared word; repeated words are numbered as in the hover text."""
    names = _shared_words(found)
    repeated = f" ({index})" if names.count(names[index]) > 1 else ""
    return word_label(names[index]) + repeated


def words_in_numbers(found: Comparison, of_words: WordDifferences) -> Answer:
    """How distances are computed, and a row for each shared word, in the order of the text."""
    last_alone = len(of_words.by_state) == 1
    over = (
        "The models differ in their number of layers: their last states are compared."
        if last_alone
        else "A word's distance is the mean over the layers."
    )
    control = (
        f"{MEANINGS[of_words.measure]} {over} *Others as near* is "
        "the share of the other words that are as near to it: small where it is still recognisably the same word."
    )
    states = ["last"] if last_alone else state_names(len(of_words.by_state))
    columns: Columns = {
        "word": numbered(_shared_words(found)),
        "distance": of_words.distances,
        "others as near": of_words.others_as_near,
        **{f"distance_{name}": row for name, row in zip(states, of_words.by_state, strict=True)},
    }
    table = Table(name="compare-words", title="The words as a table", columns=lambda: columns)
    return Answer((Sentence(control, "caption"), table))


def _shared_words(found: Comparison) -> list[str]:
    return [found.runs.alignment.a.labels[in_a] for in_a, _ in found.runs.alignment.shared_words]


def outputs(found: Comparison, sides: Sides) -> Answer:
    """Predictions for both runs, and cosines of the texts' vectors, side by side; sentences say what has none."""
    whole = replace(sides, a=sides.a.whole or sides.a, b=sides.b.whole or sides.b)
    is_one = sides.a.model_name == sides.b.model_name
    tables = {
        "Predictions": (
            _predictions(whole),
            f"{'This model predicts nothing' if is_one else 'Neither model predicts anything'} of a text as a whole.",
            f"{_which_predict(whole)} {_which_do(whole, 'mask')}".strip(),
        ),
        "Tags": (_tags(found, sides), "Both runs give every shared word the same tag.", _which_do(whole, "tags")),
        "Answers": (_answers(whole), NO_ANSWER, _which_do(whole, "span")),
        "Cosines": (_cosines(found), _why_no_cosines(sides), ""),
    }
    tasks = {_task_of(run) for run in (whole.a, whole.b)}
    for title, task in OF_TASKS.items():
        if task not in tasks:
            del tables[title]
    parts: list[Part] = []
    for title, (columns, why_none, remark) in tables.items():
        parts.append(Sentence(title, "heading"))
        if remark or columns is None:
            parts.append(Sentence(remark or why_none, "caption"))
        if columns is not None:
            parts.append(_numbers(title, columns))
    return Answer(tuple(parts))


def _task_of(run: Trace) -> TokenTask | None:
    return None if run.token_prediction is None else run.token_prediction.task


def _which_predict(sides: Sides) -> str:
    """The run that alone has a prediction, or both with labels that differ; "" if both have the same."""
    first, second = sides.in_markdown
    with_head = [name for name, run in zip((first, second), (sides.a, sides.b), strict=True) if run.prediction]
    if len(with_head) == 1:
        return f"Only {with_head[0]} has a head that predicts something of the text as a whole."
    labels = [list(_named(run.prediction)) for run in (sides.a, sides.b)]
    differing = _differing_labels(sides, labels)
    return differing and f"{differing} Only a label that both have has a difference."


def _which_do(sides: Sides, task: TokenTask) -> str:
    """The run that alone has a head for a task of tokens, or both with labels that differ; "" if both have the same."""
    runs = (sides.a, sides.b)
    with_head = [name for name, run in zip(sides.in_markdown, runs, strict=True) if _task_of(run) == task]
    if len(with_head) == 1:
        return f"Only {with_head[0]} {DOES[task]}."
    labels = [list(run.token_prediction.labels) for run in runs if run.token_prediction is not None]
    return _differing_labels(sides, labels) if len(labels) == len(runs) else ""


def _differing_labels(sides: Sides, labels: Sequence[Sequence[str]]) -> str:
    if set(labels[0]) == set(labels[1]):
        return ""
    first, second = sides.in_markdown
    return f"The labels differ: {first} has {_listed(labels[0])}, and {second} has {_listed(labels[1])}."


def _listed(labels: Sequence[str]) -> str:
    """The first labels of a head, and how many more there are, as Markdown."""
    named = [f"“{in_markdown(label)}”" for label in labels[:NAMED_LABELS]]
    more = len(labels) - len(named)
    return f"{', '.join(named)} and {more:,} more" if more else ", ".join(named)


NO_ANSWER: Final = "An answer needs a question in A and its text in B, read together: no run has both."
OF_TASKS: Final[Mapping[str, TokenTask]] = {"Tags": "tags", "Answers": "span"}
DOES: Final[Mapping[TokenTask, str]] = {
    "tags": "tags words",
    "span": "answers questions",
    "mask": "predicts words for masks",
}
NAMED_LABELS: Final = 4


def _numbers(title: str, columns: Columns) -> Table:
    name, title = f"compare-{title.lower()}", f"{title} as a table"
    return Table(name=name, title=title, columns=lambda: columns, on_page="open", decimals=DECIMALS)


def _predictions(sides: Sides) -> Columns | None:
    """A row for each class, for the score and for likely words at masks; None if neither run has a prediction."""
    first, second = (_named(run.prediction) | shares_at_masks(run) for run in (sides.a, sides.b))
    names = list(dict.fromkeys([*first, *second]))
    if not names:
        return None
    a, b = (np.array([of_run.get(name, np.nan) for name in names]) for of_run in (first, second))
    of_a, of_b = (
        f"{name} (UNTRAINED)" if run.prediction is not None and not run.prediction.trained else name
        for name, run in zip(sides.names, (sides.a, sides.b), strict=True)
    )
    if not (first and second):
        return {"prediction": names, of_a if first else of_b: a if first else b}
    return {"prediction": names, of_a: a, of_b: b, "difference": b - a}


def _tags(found: Comparison, sides: Sides) -> Columns | None:
    """A row for each shared word with two tags; None if there is none, or one of the models tags no words."""
    of_a, of_b = (_tag_by_position(run) for run in (sides.a, sides.b))
    rows = []
    for in_a, in_b in found.runs.alignment.shared_words:
        first, second = found.runs.alignment.a.members[in_a][0], found.runs.alignment.b.members[in_b][0]
        if first in of_a and second in of_b and of_a[first][0] != of_b[second][0]:
            rows.append((found.runs.alignment.a.labels[in_a], *of_a[first], *of_b[second]))
    if not rows:
        return None
    names = [f"{kind}, {name}" for name in sides.names for kind in ("tag", "probability")]
    return dict(zip(["word", *names], zip(*rows, strict=True), strict=True))


def _tag_by_position(run: Trace) -> dict[int, tuple[str, float]]:
    """The tag of each word and its probability, by the position of the word's first piece."""
    tags = word_tags(run.whole or run)
    if tags is None:
        return {}
    shares = tags.probabilities.max(1, initial=0).tolist()
    positions = [position - run.tokens.first for position in tags.positions]
    return dict(zip(positions, zip(tags.likeliest, shares, strict=True), strict=True))


def _answers(sides: Sides) -> Columns | None:
    """The best answer of each run; None if neither has one."""
    found = [(name, best_answer(run)) for name, run in zip(sides.names, (sides.a, sides.b), strict=True)]
    best = [(name, *answer) for name, answer in found if answer is not None]
    if not best:
        return None
    return {
        "run": [name for name, _, _ in best],
        "answer": [span.text if margin <= 0 else f"no answer (else: {span.text})" for _, span, margin in best],
        "probability": [span.probability for _, span, _ in best],
    }


def _named(prediction: Prediction | None) -> dict[str, float]:
    if prediction is None:
        return {}
    values: Sequence[float] = () if prediction.probabilities is None else prediction.probabilities.tolist()
    found = dict(zip(prediction.labels, values, strict=False))  # a regression head has a label but no probability
    if prediction.score is not None:
        found["score"] = prediction.score
    return found


def _cosines(found: Comparison) -> Columns | None:
    """A row for each state: of the texts' pooled states, and of shared words; None if neither has a cosine."""
    columns: dict[str, Sequence[object] | FloatArray] = {}
    if found.text_cosines is not None:
        columns["texts"] = found.text_cosines
    if found.words is not None and found.words.measure == "states":
        distances = found.words.by_state  # (L + 1, W)
        columns |= {"shared words, mean": 1 - distances.mean(1), "shared words, least": 1 - distances.max(1)}
    count = max(map(len, columns.values()), default=0)
    return {"after": state_names(count), **columns} if columns else None


def _why_no_cosines(sides: Sides) -> str:
    if sides.a.model_name != sides.b.model_name:
        return "States of two models have no common axes, and no cosine."
    return "The pooling of this model is not supported, so the texts have no cosine here."
