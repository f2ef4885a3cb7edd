"""Write the folder of a page without a server."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from encoder.errors import InstallationError
from encoder.export import export_embeddings, export_layers, word_vectors
from encoder.measures.units import units_of
from encoder.models.scratch import ScratchBackend
from encoder.runs.trace import Trace
from encoder.shipped.names import BUNDLED, SCRATCH_BERT, TUNED
from encoder.text.tokenizer import Tokenizer
from viz.examples import EXAMPLES
from viz.payloads.runs import heads_of_trace
from viz.saved_page.contents import ATTENTION_VIEWS
from viz.saved_page.document import FirstScreen, document
from viz.saved_page.pages import MOST_BESIDE, page_of_traces, selection_of
from viz.saved_page.traces import Shown
from viz.site.characters import kinds_of_characters
from viz.site.folder import write_folder
from viz.site.inputs import EXPLANATIONS, form, input_facts, page_of_site
from viz.site.lessons import Lesson, lessons_of
from viz.wording.labels import make_visible
from viz.wording.models import title_of_model

PAGE: Final = "index.html"
WORKER: Final = "worker.js"
PLOTLY: Final = "plotly.js"  # of all lessons
RUNTIME: Final = "ort-wasm-simd-threaded.wasm"
SHARD: Final = 512  # rows of the table of words in a file
Texts = tuple[str, str]  # sentences A and B; B is "" if there is none
_OF_EXAMPLES: Final = (BUNDLED, SCRATCH_BERT, TUNED)  # in which layer 0, head 4 answers the first example
_HTML: Final = Path(__file__).parent.parent / "html"
_ROOT: Final = Path(__file__).parent.parent.parent
PRECISION: Final = (
    "Its matrices are stored in 16 bits, which changes an attention weight by less than 0.002; all arithmetic is in 32 "
    "bits."
)


def build(
    folder: Path, model: ScratchBackend, texts: Texts | None = None, *, lessons: Sequence[str] = ()
) -> dict[str, int]:
    """Write the page of a model.

    Args:
        model: from `viz.site.models.open_model`.
        texts: sentence A and, unless it is "", sentence B; None for those of the first example.
        lessons: names or files of tours.
    Returns:
        The bytes of each file.
    Raises:
        InstallationError: what runs the model in browsers is not there, as in an installed wheel.
        InputError: a text cannot be encoded.
        TourError: a lesson's file is no tour.
        ArgumentError, OSError: as in `viz.site.folder.write_folder`.
    """
    runtime = _ROOT / "node_modules" / "onnxruntime-web" / "dist" / RUNTIME
    if not runtime.is_file():
        raise InstallationError(
            "This needs onnxruntime-web, which runs the model in browsers: run npm ci in Headlight's folder."
        )
    files = {RUNTIME: runtime.read_bytes(), WORKER: (_HTML / WORKER).read_bytes(), **model_files(model)}
    files |= {f"licenses/{path.name}": path.read_bytes() for path in _licenses()}
    pages = list(lessons_of(lessons, model))
    files |= {lesson.address: lesson.html.encode() for lesson in pages}
    if pages:
        files[PLOTLY] = (_HTML / PLOTLY).read_bytes()
    files[PAGE] = _page(model, texts, pages, {name: len(data) for name, data in files.items()}).encode()
    write_folder(folder, files)
    return {name: len(data) for name, data in files.items()}


def _licenses() -> list[Path]:
    """The terms of everything in the folder."""
    return [_ROOT / "LICENSE", _ROOT / "NOTICE", *sorted((_ROOT / "docs" / "licenses").iterdir())]


def model_files(model: ScratchBackend) -> dict[str, bytes]:
    """The model's parts and its tokenizer, by the names of their files."""
    words = word_vectors(model.encoder)
    layers = {f"layer-{layer}.onnx": data for layer, data in enumerate(export_layers(model.encoder))}
    shards = {
        f"words-{start // SHARD}.bin": words[start : start + SHARD].tobytes() for start in range(0, len(words), SHARD)
    }
    tokenizer = json.dumps(tokenizer_file(model.tokenizer), ensure_ascii=False).encode()
    return {"tokenizer.json": tokenizer, "embeddings.onnx": export_embeddings(model.encoder), **layers, **shards}


def tokenizer_file(tokenizer: Tokenizer) -> dict[str, Any]:
    """The tokenizer as its library writes it, and how it reads the characters of Unicode."""
    inner = tokenizer.inner.backend_tokenizer
    written = json.loads(inner.to_str()) | {"truncation": None, "padding": None}
    return {"tokenizer": written, "characters": kinds_of_characters(inner)}


def vocabulary_facts(tokenizer: Tokenizer) -> dict[str, Any]:
    """What the browser needs to know of a vocabulary; `viz/html/browser/site/tokens.mjs` describes it."""
    pieces = tokenizer.inner.backend_tokenizer.get_vocab()
    added = tokenizer.inner.backend_tokenizer.get_added_tokens_decoder()
    frame = {tokenizer.inner.cls_token_id, tokenizer.inner.sep_token_id, tokenizer.inner.pad_token_id}
    return {
        "longest": tokenizer.max_length,
        "frame": sorted(frame),
        "literal": "|".join(re.escape(str(token)) for token in added.values()),
        "visible": {
            str(number): make_visible(piece) for piece, number in pieces.items() if make_visible(piece) != piece
        },
    }


def _page(model: ScratchBackend, texts: Texts | None, lessons: Sequence[Lesson], sizes: Mapping[str, int]) -> str:
    """The page with the run of its first texts, which shows before the model is loaded.

    Args:
        sizes: bytes of the other files.
    """
    example = EXAMPLES[0]
    a, b = texts or (example.a, example.b)
    traces = {place: model.trace(text) for place, text in (("A", a), ("B", b)) if text}
    is_example = texts is None and model.name in _OF_EXAMPLES
    page = page_of_traces(
        traces,
        Shown(views=ATTENTION_VIEWS),
        view="heat map",
        selection=selection_of(layer=example.layer, head=example.head) if is_example else selection_of(),
        answer=example.question if is_example else "",
    )
    titled = replace(page, title=f"{title_of_model(model.name)}: attention")
    listed = [{"title": lesson.title, "address": lesson.address} for lesson in lessons]
    facts = _facts(model, traces["A"], sizes) | input_facts(page, model.name) | {"lessons": listed}
    screen = FirstScreen(facts=facts, form=form(page, (a, b)), explanations=EXPLANATIONS)
    return document(page_of_site(titled, facts["about"]), site=screen)


def _facts(model: ScratchBackend, run: Trace, sizes: Mapping[str, int]) -> dict[str, Any]:
    """What the page knows of the model; `viz/html/browser/contents.mjs` describes it."""
    usual = [size for name, size in sizes.items() if name.endswith((".onnx", ".json", ".wasm"))]
    few_words = 2 * sizes["words-0.bin"]  # a short sentence needs about so many
    return {
        "layers": run.num_layers,
        "heads": run.num_heads,
        "width": word_vectors(model.encoder).shape[1],
        "shard": SHARD,
        **vocabulary_facts(model.tokenizer),
        "worker": WORKER,
        "runtime": RUNTIME,
        "measures": list(heads_of_trace(run, units_of(run.tokens), "show").measures),
        "most_beside": MOST_BESIDE,
        "total": sum(usual) + few_words,
        "about": [f"Model: {title_of_model(model.name)}, run in this browser. {PRECISION}", *run.notes],
    }
