"""Hypothesis strategies for tours, claims and points."""

from __future__ import annotations

from hypothesis import strategies as st

from encoder.runs.generation import KINDS
from viz.state.fields import FIELDS
from viz.tours.files import NOT_OF_A_STOP
from viz.tours.measures import ATTRIBUTIONS, EXTREMES, HABITS, MEASURES, REMOVALS, SHARES, STATES
from viz.tours.texts import TextError, read_title, read_words
from viz.tours.tour import Claim, Measure, Number, Point, Stop, Tour, Word

numbers = st.integers(0, 9999).map(str)
heads = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=3).map(
    lambda pairs: "-".join(f"{layer}.{head}" for layer, head in pairs)
)
words = st.builds(
    Word,
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(lambda text: text.strip()),
    st.sampled_from(["A", "B", None]),
    st.integers(1, 9999) | st.none(),
)


def _is_read(reader):
    def is_read(text: str) -> bool:
        try:
            return reader(text) == text
        except TextError:
            return False

    return is_read


titles = st.text(max_size=40).map(str.strip).filter(_is_read(read_title))
markdown = (
    (
        st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\t\n#\\`-> \x85"), max_size=200)
        | st.lists(
            st.sampled_from(["## two", "# one", "\\# x", "```yaml", "```", "", "a < b", "  far in"]), max_size=8
        ).map("\n".join)
    )
    .map(str.strip)
    .filter(_is_read(read_words))
)


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    """Any measure that its table allows."""
    name = draw(st.sampled_from(list(MEASURES)))
    signature = MEASURES[name]
    keywords = [word for word in signature.keywords if word in signature.required or draw(st.booleans())]
    if name == "effect":
        keywords = draw(st.sampled_from([["layer", "head"], ["silenced"]]))
    values = {
        "layer": numbers | st.sampled_from(["embeddings"] if name in STATES else EXTREMES),
        "head": numbers | st.sampled_from(EXTREMES),
        "kind": st.sampled_from(KINDS),
        "to": st.sampled_from({"patched": ["A", "B"], "corpus": HABITS}.get(name, SHARES)),
        "silenced": heads,
        "step": numbers,
        "text": words.map(lambda word: word.text),
        "by": st.sampled_from(["words"] if name in ("place", "found") else ATTRIBUTIONS),
        "first": numbers,
        "removal": st.sampled_from(REMOVALS),
        "where": st.sampled_from(["irony", "n_t", "1"]),
        "without": st.sampled_from(["neutral", "0"]),
    }
    label = draw(words).text if signature.label else ""
    return Measure(
        name,
        tuple((keyword, draw(values[keyword])) for keyword in keywords),
        tuple(draw(words) for _ in range(signature.words)),
        label,
    )


literals = st.from_regex(r"-?[0-9]{1,9}(\.[0-9]{1,9})?", fullmatch=True).map(Number)
claims = st.builds(Claim, measures(), st.sampled_from([">", "<", ">=", "<=", "="]), literals) | st.builds(
    Claim, measures(), st.sampled_from([">", "<", ">=", "<="]), measures()
)
points = (
    st.builds(Point, st.just("token"), st.tuples(words))
    | st.builds(Point, st.sampled_from(["cell", "line"]), st.tuples(words, words))
    | st.builds(Point, st.just("head"), st.just(()), st.integers(0, 9999), st.integers(0, 9999))
)
states = st.fixed_dictionaries(
    {},
    optional={
        "a": st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
        "b": st.sampled_from(["", "no", "~", "1.0", "null", "0x1", "- a", "'", "a: b", "# x", "\n", "\x85", "\r"]),
        "layer": numbers,
        "head": numbers | st.just("mean"),
        "view": st.sampled_from(["head view", "word lens"]),
        "silenced": heads,
        "source": st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    },
)
assert set(FIELDS) >= {"a", "b", "layer", "head", "view", "silenced", "source"}
assert not set(NOT_OF_A_STOP) & {"a", "b", "layer", "head", "view", "silenced", "source"}
stops = st.builds(
    lambda reveals_picture, **parts: Stop(**parts, reveals_picture=reveals_picture and bool(parts["question"])),
    title=titles,
    words=markdown,
    state=states,
    points=st.lists(points, max_size=3).map(tuple),
    question=markdown,
    answer=markdown,
    reveals_picture=st.booleans(),
    notes=markdown,
    claims=st.lists(claims, max_size=3).map(tuple),
)
tours = st.builds(Tour, title=titles, words=markdown, stops=st.lists(stops, min_size=1, max_size=4).map(tuple))
