"""The measures of claims about an encoder: a function for each name, from a subject to a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from encoder.atlas.names import CLS_NAME, ITSELF, SEP_1_NAME, TOGETHER
from encoder.atlas.reader import shipped_atlas
from encoder.comparison.alignment import align
from encoder.comparison.run_differences import AlignedRuns, row_distances
from encoder.errors import SelectionError
from encoder.experiments.mask_lens import mask_lens
from encoder.experiments.patching import patch_word
from encoder.measures.head_effects import control_from_other_words
from encoder.measures.head_profiles import head_profiles, mean_entropy_bits
from encoder.measures.similarity import cosines_by_layer, l2_norms
from encoder.measures.units import occurrence_states
from encoder.measures.word_tags import answer_probabilities
from encoder.models.labels import TAGS
from encoder.runs.arrays import FloatArray, softmax
from encoder.runs.links import Link
from encoder.runs.trace import TokenPrediction, TokenTask, Trace
from encoder.shipped.probes import load_probes
from encoder.text.tokens import Tokens
from viz.claims.of_attributions import attribution, faithfulness
from viz.claims.over_heads import existing, number_over_heads, state_index
from viz.claims.subject import Heads, Subject
from viz.tours.measures import EXTREMES
from viz.tours.places import LETTERS, Place, find_word
from viz.tours.tour import Letter, Measure, Word
from viz.views.similar_because.steps import split_of

HABITS = {
    "itself": ITSELF,
    "previous": "offset -1",
    "next": "offset +1",
    "first": CLS_NAME,
    "separators": SEP_1_NAME,
    "together": TOGETHER,
}
MOST_TAGS = 20  # named in a message
SHARE_NAMES = {
    "itself": "to_itself",
    "previous": "to_previous",
    "next": "to_next",
    "separators": "to_separators",
}


def weight(measure: Measure, subject: Subject) -> float:
    """Attention of one word to another: the mean over the pieces that look, the sum over those that are looked at."""
    subject = subject.of_text(measure)
    query, key = _link(measure, subject)
    trace = subject.traces[query.run]

    def of_layer(layer: int) -> FloatArray:
        between = trace.weights(layer)[:, list(query.positions)][:, :, list(key.positions)]  # (H, pieces, pieces)
        return between.sum(axis=-1).mean(axis=-1)

    return number_over_heads(measure, trace.num_layers, of_layer)


def entropy(measure: Measure, subject: Subject) -> float:
    """Mean entropy of a head's rows, in bits."""
    trace = subject.of_text(measure).first
    return number_over_heads(measure, trace.num_layers, lambda layer: mean_entropy_bits(trace.weights(layer)))


def share(measure: Measure, subject: Subject) -> float:
    """The share of a head's attention that goes to a kind of position."""
    trace, to = subject.of_text(measure).first, measure.option("to") or ""
    if to not in SHARE_NAMES:
        raise SelectionError("Which tokens are copied is known of the decoder's tasks only.")

    def of_layer(layer: int) -> FloatArray:
        shares: FloatArray = getattr(head_profiles(trace.weights(layer), trace.tokens.special), SHARE_NAMES[to])
        return shares

    return number_over_heads(measure, trace.num_layers, of_layer)


def corpus(measure: Measure, subject: Subject) -> float:
    """A habit of a head over the corpus of the model's atlas: a share, or the lift of words that go together."""
    atlas = shipped_atlas(subject.backend.name)
    if atlas is None:
        raise SelectionError("What the heads of this model do over a corpus was not measured.")
    habit = HABITS[measure.option("to") or ""]

    def of_layer(layer: int) -> FloatArray:
        heads = (atlas.habits(layer, head) for head in range(subject.backend.num_heads))
        return np.array([next(one.mean for one in habits if one.habit == habit) for habits in heads])

    return number_over_heads(measure, subject.backend.num_layers, of_layer)


def cosine(measure: Measure, subject: Subject) -> float:
    """Cosine of two words' states."""
    one, other = (_states(subject, subject.find(word)) for word in measure.words)
    return float(cosines_by_layer(one, other)[_state_index(measure, subject)])


def norm(measure: Measure, subject: Subject) -> float:
    """Norm of a word's state."""
    place = subject.find(measure.words[0])
    return float(l2_norms(_states(subject, place))[_state_index(measure, subject)])


def probe(measure: Measure, subject: Subject) -> float:
    """The probability that a probe gives to a part of speech."""
    probes = load_probes(subject.backend.name)
    if measure.label not in TAGS:
        raise SelectionError(f"“{measure.label}” is no part of speech: {', '.join(TAGS)} are.")
    place = subject.find(measure.words[0])
    word = subject.tokens(place).word_ids[place.positions[0]]
    if word is None:
        raise SelectionError("A special token has no part of speech.")
    by_layer, combined = probes.read(subject.traces[place.run])
    of_word = combined[word] if measure.option("layer") == "all" else by_layer[_state_index(measure, subject), word]
    return float(of_word[TAGS.index(measure.label)])


def prediction(measure: Measure, subject: Subject) -> float:
    """The probability of a class, with some heads silenced where the claim says so."""
    return _class_probability(measure, _with_silenced(measure, subject, subject.first))


def _class_probability(measure: Measure, trace: Trace) -> float:
    if trace.prediction is None or trace.prediction.probabilities is None:
        raise SelectionError("This model predicts no classes.")
    labels = [label.casefold() for label in trace.prediction.labels]
    if measure.label.casefold() not in labels:
        raise SelectionError(f"This model has no class “{measure.label}”: {', '.join(trace.prediction.labels)}.")
    return float(trace.prediction.probabilities[labels.index(measure.label.casefold())])


def masked(measure: Measure, subject: Subject) -> float:
    """The probability of a word at a masked token, with some heads silenced where the claim says so."""
    place = subject.find(measure.words[0])
    trace = _with_silenced(measure, subject, subject.traces[place.run])
    found = mask_lens(subject.backend, trace, measure.label)
    if place.positions[0] not in found.positions:
        raise SelectionError(f"“{measure.words[0].text}” is not masked: only [MASK] is.")
    return float(found.followed[-1, found.positions.index(place.positions[0])])


def tag(measure: Measure, subject: Subject) -> float:
    """The probability of a tag of the model's own head at a word, with some heads silenced if the claim says so."""
    place = subject.find(measure.words[0])
    found = _token_prediction(measure, subject, place, "tags", "This model tags no words.")
    if measure.label not in found.labels:
        raise SelectionError(f"This model has no tag “{measure.label}”: {', '.join(found.labels[:MOST_TAGS])}.")
    return float(found.probabilities[place.positions[0], found.labels.index(measure.label)])


def edge(measure: Measure, subject: Subject) -> float:
    """The probability that the answer starts, or ends, at a word: the largest of its pieces."""
    place = subject.find(measure.words[0])
    found = _token_prediction(measure, subject, place, "span", "This model does not answer questions.")
    shares = answer_probabilities(found, subject.tokens(place))[:, found.labels.index(measure.name)]
    return float(shares[list(place.positions)].max())


def _token_prediction(
    measure: Measure, subject: Subject, place: Place, task: TokenTask, why_none: str
) -> TokenPrediction:
    """The output of the model's head for the tokens of the run that a place is in. Raises SelectionError without it."""
    trace = _with_silenced(measure, subject, subject.traces[place.run])
    if trace.token_prediction is None or trace.token_prediction.task != task:
        raise SelectionError(why_none)
    return trace.token_prediction


def effect(measure: Measure, subject: Subject) -> float:
    """Cosine distance between a word's final vectors with some heads and without."""
    place = subject.find(measure.words[0])
    if _asks_for_extreme(measure):
        distance = subject.sweep(place).word.distance[0]  # (L, H)
        return number_over_heads(measure, len(distance), distance.__getitem__)
    return float(subject.effect_of(_heads(measure, subject), place).distance[0, 0, 0])


def log_odds(measure: Measure, subject: Subject) -> float:
    """Effect of silencing a head on the log-odds of the two likeliest parts of speech, in nats."""
    place = subject.find(measure.words[0])
    load_probes(subject.backend.name)  # raises NoProbesError without them
    if not _asks_for_extreme(measure):
        return float(np.asarray(subject.effect_of(_heads(measure, subject), place).log_odds)[0, 0, 0])
    changes = np.asarray(subject.sweep(place).word.log_odds)[0]  # (L, H)
    return number_over_heads(measure, len(changes), changes.__getitem__)


def control(measure: Measure, subject: Subject) -> float:
    """The 95th percentile of single heads' effects on other words of the text."""
    found = control_from_other_words([subject.sweep(subject.find(measure.words[0])).others])
    if found is None:
        raise SelectionError("There is no other word to compare with.")
    return found.distance


def patched(measure: Measure, subject: Subject) -> float:
    """Cosine of a patched word's final vector to its vector in the source text ("A") or in the patched text."""
    source, target = (subject.find(word) for word in measure.words)
    found = patch_word(
        subject.backend,
        (subject.tokens(source), source.positions),
        (subject.tokens(target), target.positions),
    )
    cosines = found.to_b if measure.option("to") == "B" else found.to_a
    return float(cosines[_state_index(measure, subject)])


def cut(measure: Measure, subject: Subject) -> float:
    """The probability of a word's part of speech, or of a class, if the word may not look at another word."""
    query, key = _link(measure, subject)
    layer, head = (None if (given := measure.option(name)) is None else int(given) for name in ("layer", "head"))
    link = Link(query=query.positions, key=key.positions, layer=layer, head=head)
    trace = subject.backend.run(subject.tokens(query), links=[link])
    if measure.label not in TAGS:
        return _class_probability(measure, trace)
    state = occurrence_states(trace.hidden_states[-1], query.positions)  # (D,)
    shares = softmax(load_probes(trace.model_name).scores(state, trace.num_layers))  # (C,)
    return float(shares[TAGS.index(measure.label)])


def difference(measure: Measure, subject: Subject) -> float:
    """Mean distance of a head's rows in B from those in A, over shared words."""
    a, b = (subject.backend.trace(text) for text in _two_sentences(subject))
    runs = AlignedRuns(a=a, b=b, alignment=align(a.tokens, b.tokens))
    if not runs.alignment.shared:
        raise SelectionError("The two sentences share no word.")
    distances = row_distances(runs).mean(-1)  # (L, H)
    return number_over_heads(measure, a.num_layers, distances.__getitem__)


def similarity(measure: Measure, subject: Subject) -> float:
    """Contribution of a word of A and a word of B to the cosine of A and B, each encoded alone."""
    alone = {
        letter: subject.backend.tokenize(text) for letter, text in zip(LETTERS, _two_sentences(subject), strict=True)
    }
    first, second = (
        _find_in_sentence(word, letter, alone[letter]) for word, letter in zip(measure.words, LETTERS, strict=True)
    )
    found = subject.result(iter(split_of(_two_sentences(subject), (alone["A"], alone["B"]), "wordpieces")))
    rows = [index for index, unit in enumerate(found.units_a) if set(unit) & set(first.positions)]
    columns = [index for index, unit in enumerate(found.units_b) if set(unit) & set(second.positions)]
    if not rows or not columns:
        raise SelectionError("A special token frames the text: it is in no pair.")
    return float(found.values[rows][:, columns].sum())


def _link(measure: Measure, subject: Subject) -> tuple[Place, Place]:
    """The word that looks and the one that is looked at. Raises SelectionError unless one run has both."""
    query, key = (subject.find(word) for word in measure.words)
    if query.run != key.run:
        raise SelectionError("The two sentences are encoded separately: no word looks at one of the other sentence.")
    return query, key


def _with_silenced(measure: Measure, subject: Subject, trace: Trace) -> Trace:
    """The run, with the heads silenced that the claim names."""
    heads = silenced_heads(measure)
    return subject.backend.run(trace.tokens, silenced_heads=heads) if heads else trace


def silenced_heads(measure: Measure) -> Heads:
    """The heads that a claim silences together."""
    text = measure.option("silenced")
    pairs = [] if text is None else [pair.split(".") for pair in text.split("-")]
    return tuple((int(layer), int(head)) for layer, head in pairs)


def _heads(measure: Measure, subject: Subject) -> Heads:
    """The heads that are silenced: those of "silenced", or the one of "layer" and "head"."""
    together = silenced_heads(measure)
    if together:
        return together
    layer, head = (int(measure.option(name) or 0) for name in ("layer", "head"))
    return ((existing(layer, subject.backend.num_layers, "layer"), existing(head, subject.backend.num_heads, "head")),)


def _asks_for_extreme(measure: Measure) -> bool:
    return any(measure.option(name) in EXTREMES for name in ("layer", "head"))


def _states(subject: Subject, place: Place) -> FloatArray:
    """(L + 1, D), the embeddings first."""
    return occurrence_states(subject.traces[place.run].hidden_states, place.positions)


def _state_index(measure: Measure, subject: Subject) -> int:
    return state_index(measure, subject.first.num_layers)


def _two_sentences(subject: Subject) -> tuple[str, str]:
    """A and B. Raises SelectionError."""
    sentences = [sentence for trace in subject.traces.values() for sentence in trace.tokens.sentences]
    if len(sentences) < 2:
        raise SelectionError("This compares two sentences; there is one.")
    return sentences[0], sentences[1]


def _find_in_sentence(word: Word, letter: Letter, tokens: Tokens) -> Place:
    """The one place of a word in its sentence. Raises SelectionError."""
    if word.sentence not in (None, letter):
        raise SelectionError("The first word is one of A, the second one of B.")
    return find_word(Word(word.text, None, word.occurrence), {letter: tokens})


OF_ENCODERS: Mapping[str, Callable[[Measure, Subject], float]] = {
    "weight": weight,
    "entropy": entropy,
    "share": share,
    "corpus": corpus,
    "cosine": cosine,
    "norm": norm,
    "probe": probe,
    "prediction": prediction,
    "masked": masked,
    "tag": tag,
    "start": edge,
    "end": edge,
    "effect": effect,
    "log_odds": log_odds,
    "control": control,
    "cut": cut,
    "patched": patched,
    "attribution": attribution,
    "faithfulness": faithfulness,
    "similarity": similarity,
    "difference": difference,
}
