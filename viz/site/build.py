"""Write the folder of a page without a server."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import encoder
from encoder.errors import InstallationError
from encoder.export import export_embeddings, export_layers, word_vectors
from encoder.measures.units import units_of
from encoder.models.checkpoint import load_bert_folder
from encoder.runs.trace import Trace
from encoder.shipped.bundled import BUNDLED, bundled_folder
from encoder.text.tokenizer import Tokenizer
from viz.examples import EXAMPLES
from viz.payloads.runs import heads_of_trace
from viz.saved_page.contents import ATTENTION_VIEWS
from viz.saved_page.document import Site, document
from viz.saved_page.pages import MOST_BESIDE, page_of_traces, selection_of
from viz.saved_page.traces import Shown
from viz.site.characters import kinds_of_characters
from viz.site.inputs import EXPLANATIONS, form, input_facts, page_of_site
from viz.wording.labels import make_visible
from viz.wording.models import title_of_model

PAGE: Final = "index.html"
WORKER: Final = "worker.js"
RUNTIME: Final = "ort-wasm-simd-threaded.wasm"
SHARD: Final = 512  # rows of the table of words in a file
_HTML: Final = Path(__file__).parent.parent / "html"
_ROOT: Final = Path(__file__).parent.parent.parent
PRECISION: Final = (
    "Its matrices are stored in 16 bits, which changes an attention weight by less than 0.002; all arithmetic is in 32 "
    "bits."
)


def build(folder: Path) -> dict[str, int]:
    """Write the page of the bundled model.

    Returns:
        The bytes of each file.
    Raises:
        InstallationError: what runs the model in browsers is not there, as in an installed wheel.
        OSError: a file cannot be written.
    """
    runtime = _ROOT / "node_modules" / "onnxruntime-web" / "dist" / RUNTIME
    if not runtime.is_file():
        raise InstallationError(
            "This needs onnxruntime-web, which runs the model in browsers: run npm ci in Headlight's folder."
        )
    files = {RUNTIME: runtime.read_bytes(), WORKER: (_HTML / WORKER).read_bytes(), **model_files()}
    files |= {f"licenses/{path.name}": path.read_bytes() for path in _licenses()}
    files[PAGE] = _page({name: len(data) for name, data in files.items()}).encode()
    (folder / "licenses").mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return {name: len(data) for name, data in files.items()}


def _licenses() -> list[Path]:
    """The terms of everything in the folder."""
    return [_ROOT / "LICENSE", _ROOT / "NOTICE", *sorted((_ROOT / "docs" / "licenses").iterdir())]


def model_files() -> dict[str, bytes]:
    """The model's parts and its tokenizer, by the names of their files."""
    model = load_bert_folder(bundled_folder())
    words = word_vectors(model)
    layers = {f"layer-{layer}.onnx": data for layer, data in enumerate(export_layers(model))}
    shards = {
        f"words-{start // SHARD}.bin": words[start : start + SHARD].tobytes() for start in range(0, len(words), SHARD)
    }
    tokenizer = json.dumps(tokenizer_file(Tokenizer.from_file(bundled_folder())), ensure_ascii=False)
    return {"tokenizer.json": tokenizer.encode(), "embeddings.onnx": export_embeddings(model), **layers, **shards}


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


def _page(sizes: dict[str, int]) -> str:
    """The page with the shipped example, which shows before the model is loaded.

    Args:
        sizes: bytes of the other files.
    """
    example = EXAMPLES[0]
    model = encoder.load(BUNDLED)
    traces = {place: model.trace(text) for place, text in (("A", example.a), ("B", example.b))}
    page = page_of_traces(
        traces,
        Shown(views=ATTENTION_VIEWS),
        view="heat map",
        selection=selection_of(layer=example.layer, head=example.head),
        answer=example.question,
    )
    texts = (example.a, example.b)
    facts = _facts(traces["A"], model.tokenizer, sizes) | input_facts(page, BUNDLED)
    site = Site(facts=facts, form=form(page, texts), explanations=EXPLANATIONS)
    return document(page_of_site(page, facts["about"]), site=site)


def _facts(run: Trace, tokenizer: Tokenizer, sizes: dict[str, int]) -> dict[str, Any]:
    """What the page knows of the model; `viz/html/browser/contents.mjs` describes it."""
    title = title_of_model(run.model_name)
    usual = [size for name, size in sizes.items() if not name.startswith(("words-", "licenses/"))]
    few_words = 2 * sizes["words-0.bin"]  # a short sentence needs about so many
    return {
        "layers": run.num_layers,
        "heads": run.num_heads,
        "width": run.hidden_states.shape[-1],
        "shard": SHARD,
        **vocabulary_facts(tokenizer),
        "worker": WORKER,
        "runtime": RUNTIME,
        "measures": list(heads_of_trace(run, units_of(run.tokens), "show").measures),
        "most_beside": MOST_BESIDE,
        "total": sum(usual) - sizes[WORKER] + few_words,
        "about": [f"Model: {title}, run in this browser. {PRECISION}"],
    }
