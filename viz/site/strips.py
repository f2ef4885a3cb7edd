"""The tokens of a page without a server, with parts of speech, and the word of the lens among them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

from encoder.runs.trace import Trace
from encoder.shipped.probes import has_probes, word_classes
from encoder.text.common_words import has_letters
from encoder.text.lemmas import lemma
from encoder.text.tokenizer import Tokenizer
from viz.payloads.tokens import payload
from viz.wording.settings import probe_title

INFLECTIONS: Final = "inflections.txt"


def strips(traces: Mapping[str, Trace]) -> list[dict[str, Any]]:
    """What the strip of each text shows, in the order of the texts; tags are read after the last layer."""
    return [
        payload(
            trace.tokens,
            sentence=index if len(traces) > 1 else None,
            tags=word_classes(trace).likeliest(trace.num_layers) if has_probes(trace.model_name) else (),
            run=place,
        )
        for index, (place, trace) in enumerate(traces.items())
    ]


def tag_settings(model_name: str, layers: int) -> dict[str, str]:
    """The choices of tags under the tokens, by their text in a link; none for a model without probes."""
    choices: tuple[int | str, ...] = (*range(layers, -1, -1), "all", "off") if has_probes(model_name) else ()
    return {str(choice): probe_title(choice) for choice in choices}


def inflections(tokenizer: Tokenizer) -> bytes:
    """The words of a vocabulary that share a lemma, those of a lemma in a line."""
    forms = defaultdict(list)
    for piece in sorted(tokenizer.inner.backend_tokenizer.get_vocab()):
        if has_letters(piece) and not piece.startswith(("##", "[")):
            forms[lemma(piece)].append(piece)
    return "\n".join(" ".join(words) for words in forms.values() if len(words) > 1).encode()
