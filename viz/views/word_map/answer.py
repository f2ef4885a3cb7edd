"""One word over a table of texts: its occurrences as points, and how well labels separate after every layer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from encoder.collection.table import Collection
from encoder.collection.word_map import (
    MOST_LABELS,
    MOST_OCCURRENCES,
    TAGS,
    Place,
    WordMap,
    label_columns,
    labels_of,
)
from encoder.measures.inference import is_clear
from encoder.measures.label_accuracy import NOBODY, LabelAccuracy, Rule
from viz.answers.answer import Answer, Chart, Part, Sentence, Table
from viz.figures.accuracies import accuracy_lines
from viz.figures.labels import plotly_text
from viz.figures.word_map import word_panels, word_scatter
from viz.state.selection import Table as TableSelection
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, in_markdown, make_visible, shorten, state_names, word_label
from viz.wording.numbers import interval_in_words, p_in_words, percent
from viz.wording.readings import counted

EXPLANATION: Final = Explanation(
    "Each point is the word in one text. The slider moves through the layers: the map of each layer shows its two "
    "principal components, turned so that points stay where they were as far as they can, and scaled to one size. "
    "The accuracies are measured in all dimensions, not on the map; the text of an occurrence is left out as a whole. "
    "A map in two dimensions shows what varies most: points that are near here may be apart in the other dimensions.",
    "A high accuracy shows that the labels can be read from the states, not that the model uses them.",
)
CLUSTERS: Final = "~clusters"
ONE_COLOUR: Final = "~none"
NO_LABEL: Final = "no label"
TITLES: Final = {CLUSTERS: "cluster", TAGS: "predicted tag"}  # of colours that are no columns
CHOOSE: Final = "**Click a point to read its text, or draw around several with the lasso at the right of the map.**"
TAGS_ARE_PREDICTED: Final = (
    "The model itself predicts these tags: their accuracy shows where they can be read, not that they are right."
)
OTHERS: Final = "other labels"
MOST_MAPS: Final = 7  # next to each other
SIDE: Final = 45  # characters before and after the word in hover
RULES: Final[Mapping[Rule, str]] = {"neighbour": "nearest neighbour", "centroid": "nearest centroid"}


def colour_titles(collection: Collection, *, has_tags: bool) -> dict[str, str]:
    """What the points can be coloured by: columns, tags that the model predicts, clusters, or nothing."""
    columns = {column: word_label(column) for column in label_columns(collection)}
    tags = {TAGS: "Predicted tags"} if has_tags else {}
    return columns | tags | {CLUSTERS: "Clusters", ONE_COLOUR: "One colour"}


def chosen_word(table: TableSelection, suggested: Sequence[str]) -> str:
    """The word that is mapped: as typed, else the first suggested one; "" for none."""
    return table.word or next(iter(suggested), "")


def shown_colour(found: WordMap, collection: Collection, wanted: str) -> str:
    """What the points are coloured by: as wanted; else by the first column whose labels separate, else by clusters."""
    if wanted in colour_titles(collection, has_tags=bool(found.tags)):
        return wanted
    return next((column for column in found.accuracies if column != TAGS), CLUSTERS)


def shown_state(found: WordMap, colour: str, wanted: int | None) -> int:
    """The index of the hidden state that is shown: as wanted; else that of the highest accuracy, else the last one."""
    last = len(found.points) - 1
    if wanted is not None:
        return min(wanted, last)
    accuracy = found.accuracies.get(colour)
    return last if accuracy is None else int(accuracy.neighbour.argmax())


def summary(found: WordMap, colour: str, state: int) -> Answer:
    """How well the labels separate after one layer."""
    word = f"“{in_markdown(found.found.word)}”"
    accuracy = found.accuracies.get(colour)
    if accuracy is not None:
        first = _accuracy_in_words(accuracy, word, _title(colour), state)
        first += f" {TAGS_ARE_PREDICTED}" if colour == TAGS else ""
    elif colour == TAGS:
        first = _tags_in_words(found, word)
    elif colour == CLUSTERS:
        first = _clusters_in_words(found, word)
    elif colour == ONE_COLOUR:
        first = f"{word} occurs in **{counted(found.found.num_texts, 'text')}**. A colour measures what separates them."
    else:
        first = (
            f"No two labels of “{in_markdown(colour)}” have two texts with {word} each: an accuracy needs that. Choose "
            "another column, or clusters."
        )
    return Answer((Sentence(first),))


def _accuracy_in_words(accuracy: LabelAccuracy, word: str, column: str, state: int) -> str:
    value, p = float(accuracy.neighbour[state]), accuracy.p(state)
    interval = interval_in_words(*accuracy.interval(state), percent, n=len(accuracy.scored))
    by_chance = percent(float(accuracy.shuffled["neighbour"][:, state].mean()))
    highest = [index for index, other in enumerate(accuracy.neighbour) if percent(float(other)) == percent(value)]
    best = ""
    if value == accuracy.neighbour.max():
        have = "has" if len(highest) == 2 else "have"
        equals = f", and {len(highest) - 1} of the others {have} as much" if highest[1:] else ""
        best = f" No other state has more{equals}."
    tells = "tell" if is_clear(p) else "do not tell"
    return (
        f"**{'Yes' if is_clear(p) else 'No'}: the states of {word} {tells} one {column} from another** "
        f"({percent(value)} right, {by_chance} by chance). {_after(state)}, the nearest neighbour of "
        f"{word} has the same {column} in **{percent(value)}** of {len(accuracy.scored):,} occurrences ({interval}; "
        f"with shuffled labels as much after some layer with {p_in_words(p)}).{best}"
    )


def _tags_in_words(found: WordMap, word: str) -> str:
    """The tags of which no two can be compared."""
    (first, count), *others = Counter(found.tags).most_common()
    rest = "".join(f", and as {in_markdown(tag)} in {number:,}" for tag, number in others[:1])
    return (
        f"The model tags {word} as **{in_markdown(first)}** in {count:,} of {counted(len(found), 'occurrence')}{rest}. "
        "An accuracy needs two tags with two texts each."
    )


def _clusters_in_words(found: WordMap, word: str) -> str:
    sizes = np.bincount(found.clusters).tolist()
    if len(sizes) < 2:
        return f"There are too few different occurrences of {word} for clusters: {len(found):,}."
    listed = f"{', '.join(f'{size:,}' for size in sizes[:-1])} and {sizes[-1]:,}"
    return (
        f"After the last layer, the occurrences of {word} fall into **{len(sizes)} clusters**, of {listed}: the number "
        "of clusters that are farthest apart. They are made from the states themselves, so no accuracy can test them."
    )


def _occurrences_in_words(found: WordMap, colour: str) -> str:
    """How many occurrences there are, which are left out, and how they are read."""
    search, accuracy = found.found, found.accuracies.get(colour)
    count = len(search.places)
    said = [f"{counted(count, 'occurrence')} in {counted(search.num_texts, 'text')}."]
    if search.total > count:
        said = [
            f"{MOST_OCCURRENCES:,} of {search.total:,} occurrences are shown, evenly spread over the table, in "
            f"{counted(search.num_texts, 'text')}."
        ]
    if search.repeated:
        said.append(f"{search.repeated:,} more in repeated texts {_are(search.repeated)} left out.")
    if found.cut_off:
        said.append(f"{found.cut_off:,} {_are(found.cut_off)} cut off: the model does not read that far.")
    if found.in_pieces:
        said.append(f"{found.in_pieces:,} {_are(found.in_pieces)} read in several pieces, as their mean.")
    if accuracy is not None and (left := len(found) - len(accuracy.scored)):
        reason = "after the first of their text" if colour == TAGS else "without a label"
        said.append(
            f"{left:,} {_are(left)} not scored: {reason}, with a label of a single text, or beyond the "
            f"{MOST_LABELS} most frequent."
        )
    return " ".join(said)


def grouped(found: WordMap, collection: Collection, colour: str) -> dict[str, list[int]]:
    """The indices of the occurrences of each colour, by its name, in the order of the figure's traces."""
    if colour == ONE_COLOUR:
        return {found.found.word: list(range(len(found)))}
    if colour == CLUSTERS:
        names = [f"cluster {number + 1}" for number in found.clusters.tolist()]
        return {name: [index for index, other in enumerate(names) if other == name] for name in sorted(set(names))}
    labels = found.tags if colour == TAGS else labels_of(collection, colour, found.places)
    counts = {label: labels.count(label) for label in dict.fromkeys(filter(None, labels))}
    shown = sorted(counts, key=lambda label: -counts[label])[:MOST_LABELS]
    groups: dict[str, list[int]] = {name: [] for name in [*shown, OTHERS, NO_LABEL]}
    for index, label in enumerate(labels):
        groups[label if label in shown else OTHERS if label else NO_LABEL].append(index)
    return {name: members for name, members in groups.items() if members}


def scatter(found: WordMap, collection: Collection, colour: str, state: int) -> Chart:
    """The occurrences as points, with a slider over the layers."""
    groups = grouped(found, collection, colour)
    hover = [_in_context(collection, place) for place in found.places]
    return Chart(
        name="word-map",
        alt=f"The word in {len(found)} texts as points in two dimensions, with a slider over the layers.",
        figure=lambda theme: word_scatter(
            found.points, groups, hover, shown=state, muted=(OTHERS, NO_LABEL), theme=theme
        ),
    )


def small_maps(found: WordMap, collection: Collection, colour: str, state: int) -> Answer:
    """The finding, and the maps of several layers next to each other, where there is no slider."""
    states = _some_states(len(found.points), state)
    groups = grouped(found, collection, colour)
    names = ["emb.", *state_names(len(found.points))[1:]]
    accuracy = found.accuracies.get(colour)
    titles = [
        f"{names[each]}{'' if accuracy is None else f': {percent(float(accuracy.neighbour[each]))}'}" for each in states
    ]
    chart = Chart(
        name="word-maps",
        alt=f"The word in {len(found)} texts as points, after each of {len(states)} layers.",
        figure=lambda theme: word_panels(
            found.points[states], groups, titles, chosen=states.index(state), muted=(OTHERS, NO_LABEL), theme=theme
        ),
    )
    return Answer((*summary(found, colour, state).parts, chart))


def _some_states(count: int, state: int) -> list[int]:
    """At most `MOST_MAPS` hidden states from the first to the last, with the one that is shown."""
    spread = np.linspace(0, count - 1, min(count, MOST_MAPS)).round().astype(int)
    if state not in spread:
        spread[1 + np.abs(spread[1:-1] - state).argmin()] = state
    return spread.tolist()


def below_map(found: WordMap, colour: str, state: int) -> Answer:
    """Which occurrences the map has, and the share of the variance that it keeps in a layer."""
    share = percent(float(found.explained[state].sum()))
    occurrences = _occurrences_in_words(found, colour)
    kept = f" {_after(state)}, two dimensions keep {share} of the variance." if len(found) > 1 else ""
    return Answer((Sentence(f"{CHOOSE} {occurrences}{kept}", "caption"),))


def by_layer(found: WordMap, colour: str, state: int) -> Answer | None:
    """The accuracies after every layer with their control; None where there are none."""
    accuracy = found.accuracies.get(colour)
    if accuracy is None:
        return None
    values = {title: accuracy.accuracy(rule) for rule, title in RULES.items()}
    controls = {title: accuracy.shuffled[rule] for rule, title in RULES.items()}
    parts: list[Part] = [
        Chart(
            name="word-map-accuracy",
            title=f"Same {_title(colour)}, layer by layer",
            alt="How often the nearest neighbour and the nearest centroid have the same label, after every layer.",
            figure=lambda theme: accuracy_lines(
                values, chosen=state, value="same label", theme=theme, shuffled=controls
            ),
            changes=[{"map_state": index} for index in range(len(found.points))],
        ),
        Sentence("Click a layer: the map begins there.", "caption"),
        Table(
            name="word-map-accuracy",
            title="The accuracies as a table",
            columns=lambda: {
                "after": state_names(len(found.points)),
                **{title.replace(" ", "_"): value for title, value in values.items()},
                **{f"{title.replace(' ', '_')}_shuffled": control.mean(axis=0) for title, control in controls.items()},
            },
            on_page="download",
        ),
    ]
    return Answer(tuple(parts))


def rows_of(
    found: WordMap, collection: Collection, colour: str, chosen: Sequence[int], state: int
) -> dict[str, list[str]]:
    """The texts of chosen occurrences, with their colour and the nearest occurrence in another text.

    Args:
        state: in which they are near; the map may show another one, which the browser chose.
    """
    names = {index: name for name, members in grouped(found, collection, colour).items() for index in members}
    nearest = [int(found.nearest[state, index]) for index in chosen]
    title = TITLES.get(colour, colour)
    number, text = (name if name != title else f"{name} of the table" for name in ("row", "text"))
    columns = {
        number: [f"{collection.numbers(found.places[index].row) + 1:,}" for index in chosen],
        text: [text_of(found, collection, index) for index in chosen],
        f"nearest in another text {_after(state).lower()}": [
            "" if other == NOBODY else _context(collection, found.places[other]) for other in nearest
        ],
    }
    if colour == ONE_COLOUR:
        return columns
    return (
        {title: [names[index] for index in chosen]}
        | columns
        | {f"its {title}": ["" if other == NOBODY else names[other] for other in nearest]}
    )


def pair_of(found: WordMap, collection: Collection, colour: str, chosen: Sequence[int], state: int) -> list[int]:
    """Two occurrences to compare: the first chosen one, and the first of another text and colour.

    Without one, it is the first of another text, and for a single one its nearest neighbour. A single item if there is
    no other text.
    """
    names = {index: name for name, members in grouped(found, collection, colour).items() for index in members}
    first, *others = chosen
    others = [index for index in others if found.texts[index] != found.texts[first]]
    differing = [index for index in others if names[index] != names[first]]
    nearest = [int(other) for other in found.nearest[state, [first]] if other != NOBODY]
    return [first, *(differing or others or nearest)[:1]]


def text_of(found: WordMap, collection: Collection, index: int) -> str:
    """The text of an occurrence."""
    place = found.places[index]
    return collection.column(place.column, [place.row])[0]


def pair_in_words(found: WordMap, collection: Collection, pair: Sequence[int]) -> str:
    """The two occurrences that other views open."""
    return " · ".join(
        f"**{letter}** {escape_markdown(_context(collection, found.places[index]))}"
        for letter, index in zip("AB", pair, strict=False)
    )


def _in_context(collection: Collection, place: Place) -> str:
    """An occurrence in bold between what stands around it, safe for Plotly."""
    before, word, after = _split(collection, place)
    return f"{plotly_text(before) if before else ''}<b>{plotly_text(word)}</b>{plotly_text(after) if after else ''}"


def _context(collection: Collection, place: Place) -> str:
    return make_visible("".join(_split(collection, place)))


def _split(collection: Collection, place: Place) -> tuple[str, str, str]:
    """What stands before an occurrence, the word, and what stands after it, shortened."""
    [text] = collection.column(place.column, [place.row])
    start, end = place.span
    before, word, after = text[:start], shorten(text[start:end], 2 * SIDE), text[end:]
    before = before if len(before) <= SIDE else f"…{before[-SIDE:]}"
    return before, word, shorten(after, SIDE)


def _after(state: int) -> str:
    return f"After layer {state - 1}" if state else "In the embeddings, before any layer"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _title(colour: str) -> str:
    return TITLES.get(colour) or in_markdown(colour)
