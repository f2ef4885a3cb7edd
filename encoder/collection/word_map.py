"""Every occurrence of a word in a collection: where it stands, its state after every layer, and how labels separate.

Texts are read one by one: the two texts of a pair as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from encoder.collection.names import WordForms
from encoder.collection.table import Collection
from encoder.columns import Columns
from encoder.errors import DataError, InputError
from encoder.experiments.senses.rows import shipped_senses
from encoder.measures.label_accuracy import NOBODY, AccuracyByState, Integers, LabelAccuracy, nearest_in_other_texts
from encoder.measures.sense_map import SenseMap, aligned, sense_map
from encoder.measures.units import occurrence_states
from encoder.models.base import READ_TOGETHER, Backend
from encoder.models.labels import TAGS as PARTS_OF_SPEECH
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import TokenPrediction
from encoder.shipped.probes import has_probes, probes_of
from encoder.text.lemmas import ENGLISH, lemma
from encoder.text.occurrences import positions_of_span
from encoder.text.tokens import Span, Tokens

MOST_OCCURRENCES: Final = 5_000  # that are mapped
MOST_COLUMNS: Final = 12  # whose labels are scored
MOST_LABELS: Final = 12  # of a column
LONGEST_WORD: Final = 80  # characters
CLUSTERS: Final = range(2, 7)  # numbers of clusters that are tried
FEWEST_TO_CLUSTER: Final = 8  # occurrences
SILHOUETTE_SAMPLE: Final = 1_000
BYTES_PER_TOKEN: Final = 4  # of English
SPECIAL_TOKENS: Final = 3
WORD: Final = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
# Scripts that are written without spaces: a word in them may stand next to other letters.
UNSPACED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
TAGS: Final = "~tags"  # among the columns of labels: the model's own tags of the word
WORD_COLUMN: Final = "word"  # names the word that each row is about
SUGGESTED: Final = 12
SEARCHED: Final = 2_000  # texts in which words to suggest are counted
FEWEST: Final = 4  # texts with a suggested word
COMMON: Final = 0.2  # share of texts with a word that says too little
LEAST_LETTERS: Final = 4
# Of the dictionaries in which the lemmas of inflections are looked up.
LANGUAGES: Final[Mapping[WordForms, str]] = {
    "inflections": ENGLISH,
    "Czech": "cs",
    "Danish": "da",
    "Dutch": "nl",
    "Finnish": "fi",
    "French": "fr",
    "German": "de",
    "Greek": "el",
    "Italian": "it",
    "Polish": "pl",
    "Portuguese": "pt",
    "Romanian": "ro",
    "Russian": "ru",
    "Spanish": "es",
    "Swedish": "sv",
    "Turkish": "tr",
    "Ukrainian": "uk",
}
# English words with several everyday meanings.
AMBIGUOUS: Final = (
    "bank bark bat bear bill board bolt book bow bowl box case cell charge check club coach cold company court "
    "cover crane current date deal deck draft draw drive face fair fall fan file fine fire flat flies fly foot "
    "game glass ground hand hard head interest iron key kind last lead lean leave left letter lie light like line "
    "mark match mean mind mine mouse nail net note order organ page palm park part party pass patient pen pitch "
    "plant play point pool port post pound present press race record rest right ring rock roll room round row run "
    "saw scale score seal season second sense sentence set shot sign sink sound spring square stage stamp star "
    "state stick still story strike suit table tank tap tear tie time tip top track train trip trunk turn watch "
    "wave way well yard"
)


@dataclass(frozen=True, slots=True)
class Place:
    """One occurrence: the row, the column of the text, and the characters."""

    row: int
    column: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """The occurrences of a word in the texts of a collection.

    Attributes:
        word: as it is searched for.
        forms: whether other inflections count, and in which language.
        places: of at most `MOST_OCCURRENCES`, evenly spread over the table.
        total: number of occurrences, those beyond the bound too.
        repeated: number of further occurrences in texts that repeat an earlier one, which count once.
        characters: of the texts that hold `places`.
    """

    word: str
    forms: WordForms
    places: tuple[Place, ...]
    total: int
    repeated: int
    characters: int

    @property
    def num_texts(self) -> int:
        """Number of different texts."""
        return len({(place.row, place.column) for place in self.places})

    @property
    def tokens(self) -> int:
        """About how many tokens these texts have."""
        return self.characters // BYTES_PER_TOKEN + SPECIAL_TOKENS * self.num_texts


def _text_columns(collection: Collection) -> tuple[str, ...]:
    """The columns whose texts are searched."""
    return tuple(column for column in (collection.text, collection.text_b) if column)


def find_word(collection: Collection, word: str, forms: WordForms = "form") -> Found:
    """Search a word, whatever its case, or several words in a row.

    Args:
        forms: "inflections" counts all words of the same English lemma; the name of a language, those of its lemma.
    Raises:
        DataError: there is no word, or no text has it.
    """
    wanted = " ".join(word.split())
    if not any(character.isalnum() for character in wanted):
        raise DataError("Type a word: letters or digits are needed.")
    if len(wanted) > LONGEST_WORD:
        raise DataError(f"Type a word of at most {LONGEST_WORD} characters; this one has {len(wanted):,}.")
    spans_in = _by_form(wanted) if forms == "form" else _by_lemma(wanted, LANGUAGES[forms])
    places: list[Place] = []
    seen: set[tuple[str, ...]] = set()  # the words of texts
    repeated = 0
    for column in _text_columns(collection):
        for row, text in enumerate(collection.column(column)):
            spans = list(spans_in(text))
            words = tuple(text.split()) if spans else ()
            if spans and words in seen:
                repeated += len(spans)
            elif spans:
                seen.add(words)
                places += (Place(row, column, span) for span in spans)
    if not places:
        if forms == "form":
            raise DataError(f"No text of this table has “{wanted}”: try another word, or its inflections.")
        raise DataError(f"No text of this table has “{wanted}” or an inflection of it: try another word.")
    kept = places
    if len(places) > MOST_OCCURRENCES:
        kept = [places[index] for index in np.linspace(0, len(places) - 1, MOST_OCCURRENCES).astype(int).tolist()]
    texts = {(place.row, place.column) for place in kept}
    characters = sum(
        len(text)
        for column in _text_columns(collection)
        for text in collection.column(column, sorted(row for row, name in texts if name == column))
    )
    return Found(
        word=wanted, forms=forms, places=tuple(kept), total=len(places), repeated=repeated, characters=characters
    )


def _by_form(word: str) -> Callable[[str], Iterator[Span]]:
    """Finds a word in any case, with whatever blank space in it."""
    letters = r"\s+".join(map(re.escape, word.split()))
    before = "" if re.match(f"[{UNSPACED}]", word[0]) else r"(?<!\w)"
    after = "" if re.match(f"[{UNSPACED}]", word[-1]) else r"(?!\w)"
    pattern = re.compile(f"{before}{letters}{after}", re.IGNORECASE)
    return lambda text: (match.span() for match in pattern.finditer(text))


def _by_lemma(word: str, language: str) -> Callable[[str], Iterator[Span]]:
    """Finds words of the same lemma; of several words in a row, those of the same lemmas."""
    wanted, lemmas = [lemma(part, language) for part in WORD.findall(word)], dict[str, str]()

    def lemma_of(form: str) -> str:
        if form not in lemmas:
            lemmas[form] = lemma(form, language)
        return lemmas[form]

    def spans_in(text: str) -> Iterator[Span]:
        words = [(match.span(), lemma_of(match[0].lower())) for match in WORD.finditer(text)]
        for row in zip(*(words[start:] for start in range(len(wanted))), strict=False):
            spans = [span for span, _ in row]
            if [found for _, found in row] == wanted and all(text[a:b].isspace() for (_, a), (b, _) in pairwise(spans)):
                yield spans[0][0], spans[-1][1]

    return spans_in


def suggest_words(collection: Collection) -> tuple[str, ...]:
    """Frequent words with several meanings, the most frequent first.

    Those of a column called "word"; else English words that are known to be ambiguous, and then other frequent ones.
    """
    named = next((column for column in collection.columns if column.strip().lower() == WORD_COLUMN), None)
    if named:
        counts = Counter(filter(None, (cell.strip() for cell in collection.column(named))))
        return tuple(word for word, _ in counts.most_common(SUGGESTED))
    texts = collection.column(collection.text, range(min(len(collection), SEARCHED)))
    in_texts = Counter(word for text in texts for word in dict.fromkeys(map(str.casefold, WORD.findall(text))))
    frequent = [word for word, count in in_texts.most_common() if count >= FEWEST]
    known = set(AMBIGUOUS.split()) | {row.word for row in shipped_senses()}
    ambiguous = [word for word in frequent if word in known]
    others = [
        word
        for word in frequent
        if word not in known and len(word) >= LEAST_LETTERS and word.isalpha() and in_texts[word] < COMMON * len(texts)
    ]
    return tuple([*ambiguous, *others][:SUGGESTED])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class WordMap(Columns):
    """N occurrences of a word, and what their states show after each of S = L + 1 hidden states.

    Attributes:
        found: the search.
        places: of the N occurrences that the model reads.
        words: (N,) index of each among the words of its text.
        texts: (N,) number of each one's text.
        points: (S, N, 2) principal components, each state aligned with the one before.
        explained: (S, 2) share of the variance along each component, before they were aligned.
        nearest: (S, N) index of the most similar occurrence in another text, `NOBODY` without one.
        clusters: (N,) cluster of the last states, from 0; all 0 where there are too few.
        tags: (N,) the likeliest tag of each, as the model predicts it; empty for a model that does not tag words.
        accuracies: by column, and by `TAGS`, how well the labels separate; those with fewer than two labels of two
            texts are left out. Of several occurrences in a text, tags are scored for the first.
        cut_off: number of occurrences that stand after the end of what the model reads.
        in_pieces: number of those that are read as several tokens; their state is the mean.
        rows: the number of each row of the collection in the table; None where they are the same.
    """

    found: Found
    places: tuple[Place, ...]
    words: Integers
    texts: Integers
    points: FloatArray
    explained: FloatArray
    nearest: Integers
    clusters: Integers
    tags: tuple[str, ...]
    accuracies: Mapping[str, LabelAccuracy]
    cut_off: int
    in_pieces: int
    rows: Integers | None = None

    def __len__(self) -> int:
        return len(self.places)

    @property
    def columns(self) -> dict[str, Any]:
        """A row for each state and occurrence, for `pandas.DataFrame`, with the row of the nearest one.

        The cluster and the tag of an occurrence are the same in each state.
        """
        rows = np.array([place.row for place in self.places], np.intp)  # (N,)
        rows = rows if self.rows is None else self.rows[rows]
        states = len(self.points)
        return {
            "state": np.repeat(np.arange(states), len(rows)),
            "row": np.tile(rows, states),
            "x": self.points[..., 0].ravel(),
            "y": self.points[..., 1].ravel(),
            "nearest_row": np.where(self.nearest == NOBODY, NOBODY, rows[self.nearest]).ravel(),
            "cluster": np.tile(self.clusters, states),
        } | ({"tag": [*self.tags] * states} if self.tags else {})


def label_columns(collection: Collection) -> tuple[str, ...]:
    """The columns whose values may be labels: that of the labels first, the first `MOST_COLUMNS` in all."""
    others = [column for column in collection.columns if column not in (*_text_columns(collection), collection.label)]
    return tuple([*filter(None, (collection.label,)), *others][:MOST_COLUMNS])


def labels_of(collection: Collection, column: str, places: Sequence[Place]) -> list[str]:
    """The value of a column for each occurrence; "" for none."""
    return [cell.strip() for cell in collection.column(column, [place.row for place in places])]


def tags_words(model: Backend) -> bool:
    """Whether a model tags words: by a head of its own, or by the probes that ship for it."""
    return has_probes(model.name) or _has_tag_head(model)


def _has_tag_head(model: Backend) -> bool:
    found = next(iter(model.readings(["a"]))).token_prediction
    return found is not None and found.task == "tags"


def map_word(model: Backend, collection: Collection, found: Found, *, progress: Progress = no_progress) -> WordMap:
    """Read the texts of all occurrences, and map and score the word's states.

    Args:
        progress: called with the texts and hidden states done and in total.
    Raises:
        DataError: the model reads none of the occurrences.
    """
    located = list(_locate(model, collection, found))
    read = [each for each in located if each.positions]
    if not read:
        raise DataError(
            f"{model.name} reads “{found.word}” in none of these texts: it stands after their first "
            f"{located[0].tokens.max_length:,} tokens, or the tokenizer keeps none of it."
        )
    steps = found.num_texts + model.num_layers + 1
    directions, lengths, tags = _states(model, read, lambda done: progress(done, steps))
    texts = np.array([each.text for each in read], np.intp)
    places = tuple(each.place for each in read)
    scores = {
        column: AccuracyByState(labels_of(collection, column, places), texts, most=MOST_LABELS)
        for column in label_columns(collection)
    }
    if tags:
        scores[TAGS] = AccuracyByState(_first_in_each(tags, texts), texts, most=MOST_LABELS)
    scores = {column: score for column, score in scores.items() if score.applies}
    with threadpool_limits(1):  # small products, which threads that compete for cores would take many times as long for
        maps, nearest, clusters = _score_states(
            directions, lengths, texts, list(scores.values()), lambda state: progress(found.num_texts + state, steps)
        )
    result = WordMap(
        found=found,
        places=places,
        words=np.array([each.word for each in read], np.intp),
        texts=texts,
        points=aligned(each.points for each in maps),
        explained=np.stack([each.explained for each in maps]),
        nearest=nearest,
        clusters=clusters,
        tags=tags,
        accuracies={column: score.result() for column, score in scores.items()},
        cut_off=len(located) - len(read),
        in_pieces=sum(len(each.positions) > 1 for each in read),
    )
    progress(steps, steps)
    return result


def _first_in_each(tags: Sequence[str], texts: Integers) -> list[str]:
    """The tag of the first occurrence in each text; "" for further ones, which may have another."""
    first = set(np.unique(texts, return_index=True)[1].tolist())
    return [tag if index in first else "" for index, tag in enumerate(tags)]


def _score_states(
    directions: NDArray[np.float16],
    lengths: FloatArray,
    texts: Integers,
    scores: Sequence[AccuracyByState],
    progress: Callable[[int], object],
) -> tuple[list[SenseMap], Integers, Integers]:
    """The map of each of S states, the (S, N) nearest neighbours, and the (N,) clusters of the last one."""
    maps, nearest, unit = [], [], np.zeros((0, 0), np.float32)
    for state in range(directions.shape[1]):
        progress(state)
        unit = directions[:, state].astype(np.float32)  # (N, D)
        maps.append(sense_map(unit * lengths[:, state, None]))
        nearest.append(nearest_in_other_texts(unit, texts))
        among = {np.arange(len(unit)).tobytes(): nearest[-1]}  # by the occurrences that are compared
        for score in scores:
            own, key = unit[score.scored], score.scored.tobytes()
            if key not in among:
                among[key] = nearest_in_other_texts(own, score.texts)
            score.add(own, among[key])
    return maps, np.stack(nearest), cluster(unit)


@dataclass(frozen=True, slots=True)
class _Located:
    """An occurrence among the tokens of its text; no positions where the model does not read it."""

    place: Place
    text: int
    tokens: Tokens
    positions: tuple[int, ...]

    @property
    def word(self) -> int:
        """Its index among the words of its text."""
        return self.tokens.word_ids[self.positions[0]] or 0


def _locate(model: Backend, collection: Collection, found: Found) -> Iterator[_Located]:
    """The occurrences, text by text."""
    by_text = groupby(found.places, key=lambda place: (place.row, place.column))
    for number, ((row, column), places) in enumerate(by_text):
        tokens = model.tokenize(collection.column(column, [row])[0])
        for place in places:
            try:
                positions = positions_of_span(tokens, place.span)
            except InputError:
                positions = ()
            yield _Located(place, number, tokens, positions)


def _states(
    model: Backend, read: Sequence[_Located], progress: Callable[[int], object]
) -> tuple[NDArray[np.float16], FloatArray, tuple[str, ...]]:
    """(N, S, D) directions and (N, S) lengths of the states of N occurrences, and their N tags; every text runs once.

    Directions have half precision: 5,000 occurrences in BERT-base take 100 MB.
    """
    by_text: dict[int, list[int]] = {}
    for index, each in enumerate(read):
        by_text.setdefault(each.text, []).append(index)
    by_length = sorted(by_text.values(), key=lambda indices: len(read[indices[0]].tokens))
    directions = np.zeros((0, 0, 0), np.float16)
    lengths = np.zeros((len(read), model.num_layers + 1), np.float32)
    tags = [""] * len(read)
    has_tag_head, probes = _has_tag_head(model), probes_of(model.name)
    starts = [*range(0, len(by_length), READ_TOGETHER), len(by_length)]
    for start, stop in pairwise(starts):
        progress(start)
        some = by_length[start:stop]
        texts = [read[indices[0]].tokens for indices in some]
        for indices, (of_text, prediction) in zip(some, _runs(model, texts, has_tag_head=has_tag_head), strict=True):
            if not directions.size:
                directions = np.zeros((len(read), *of_text[:, 0].shape), np.float16)
            for index in indices:
                positions = read[index].positions
                states = occurrence_states(of_text, positions)  # (S, D)
                lengths[index] = np.linalg.norm(states, axis=-1)
                directions[index] = states / np.maximum(lengths[index], 1e-12)[:, None]
                if prediction is not None:
                    tags[index] = prediction.labels[prediction.probabilities[positions[0]].argmax()]
                elif probes is not None:
                    tags[index] = PARTS_OF_SPEECH[probes.combined(states[:, None])[0].argmax()]
    return directions, lengths, tuple(tags) if has_tag_head or probes else ()


def _runs(
    model: Backend, texts: Sequence[Tokens], *, has_tag_head: bool
) -> Iterator[tuple[FloatArray, TokenPrediction | None]]:
    """The hidden states of each text, and what a head that tags words says, of one run."""
    if has_tag_head:
        return (
            (trace.hidden_states, trace.token_prediction) for trace in model.traces(each.sentences[0] for each in texts)
        )
    return ((states, None) for states in model.hidden_states(texts))


def cluster(unit: FloatArray) -> Integers:
    """Clusters of (N, D) vectors of length 1, the largest first: as many as have the largest silhouette.

    Source: k-means; Rousseeuw (1987), silhouettes.
    """
    if len(np.unique(unit, axis=0)) < FEWEST_TO_CLUSTER:
        return np.zeros(len(unit), np.intp)
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    sample = np.random.default_rng(0).permutation(len(unit))[:SILHOUETTE_SAMPLE]

    def silhouette(found: Integers) -> float:
        is_split = len(np.unique(found[sample])) > 1
        return float(silhouette_score(unit[sample], found[sample])) if is_split else -1.0

    best = max((KMeans(count, n_init=3, random_state=0).fit_predict(unit) for count in CLUSTERS), key=silhouette)
    order = np.argsort(-np.bincount(best), kind="stable")
    return np.argsort(order)[best].astype(np.intp)
