"""Write the folder of a page without a server."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping
from importlib.metadata import files as installed_files
from pathlib import Path
from typing import Any, Final

import encoder
from encoder.export import export_embeddings, export_heads, export_layers, word_vectors
from encoder.measures.units import units_of
from encoder.models.checkpoint import load_bert_folder
from encoder.runs.trace import Trace
from encoder.shipped.bundled import BUNDLED, bundled_folder
from encoder.text.tokenizer import Tokenizer
from viz.examples import EXAMPLES
from viz.payloads.runs import heads_of_trace
from viz.saved_page.contents import ATTENTION_VIEWS
from viz.saved_page.document import document
from viz.saved_page.pages import MOST_BESIDE, page_of_traces, selection_of
from viz.saved_page.traces import Shown
from viz.site.characters import kinds_of_characters
from viz.wording.labels import make_visible
from viz.wording.models import title_of_model

PAGE: Final = "index.html"
RUNTIME: Final = "ort-wasm-simd-threaded.wasm"
SERVICE_WORKER: Final = "service-worker.js"
MANIFEST: Final = "manifest.webmanifest"
ICON: Final = "icon.svg"
SHARD: Final = 128  # rows of the table of words in a file: a sentence needs about seven files, of 90 kB each
_VIZ: Final = Path(__file__).parent.parent
_HTML: Final = _VIZ / "html"
_ROOT: Final = _VIZ.parent
_MANIFEST: Final = {
    "name": "Headlight",
    "start_url": "./",
    "display": "standalone",
    "icons": [{"src": ICON, "sizes": "any", "type": "image/svg+xml"}],
}
PRECISION: Final = (
    "Its matrices are stored in 16 bits, which changes an attention weight by less than 0.001; all arithmetic is in 32 "
    "bits."
)


def build(folder: Path) -> dict[str, int]:
    """Write the page of the bundled model.

    Returns:
        The bytes of each file.
    Raises:
        OSError: a file cannot be written.
    """
    model = {f"{name}.gz": gzip.compress(data, mtime=0) for name, data in model_files().items()}
    model[f"{RUNTIME}.gz"] = (_HTML / f"{RUNTIME}.gz").read_bytes()
    inside = f"model-{_name_of(*model.values())}"
    code = (_HTML / "worker.js").read_bytes()
    worker = f"worker-{_name_of(code)}.js"
    sizes = {name.removesuffix(".gz"): len(data) for name, data in model.items()}
    served = {"worker": worker, "folder": inside, "sizes": sizes}
    shell = {
        PAGE: _page(served).encode(),
        worker: code,
        MANIFEST: json.dumps(_MANIFEST).encode(),
        ICON: (_VIZ / ICON).read_bytes(),
    }
    files = {
        **shell,
        SERVICE_WORKER: _service_worker(shell, inside),
        **{f"{inside}/{name}": data for name, data in model.items()},
        **{f"licenses/{path.name}": path.read_bytes() for path in _licenses()},
    }
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return {name: len(data) for name, data in files.items()}


def _name_of(*contents: bytes) -> str:
    """The same for the same contents only, so that no cache mixes two versions."""
    return hashlib.sha256(b"".join(contents)).hexdigest()[:12]


def _service_worker(shell: Mapping[str, bytes], model: str) -> bytes:
    """Its code with the files of this version: a browser that finds other code installs the whole version anew.

    Args:
        model: folder of the model's files.
    """
    digests = {
        name: f"sha256-{base64.b64encode(hashlib.sha256(data).digest()).decode()}" for name, data in shell.items()
    }
    version = {"shell": {("./" if name == PAGE else name): digest for name, digest in digests.items()}, "model": model}
    return f"self.version = {json.dumps(version)};\n".encode() + (_HTML / SERVICE_WORKER).read_bytes()


def _licenses() -> list[Path]:
    """The terms of everything in the folder, which an installed wheel has in its metadata."""
    root = _ROOT
    if not (root / "LICENSE").is_file():
        root = next(
            Path(file.locate()).parent
            for file in installed_files("headlight") or ()
            if file.match("*/licenses/LICENSE")
        )
    return [root / "LICENSE", root / "NOTICE", *sorted((root / "docs" / "licenses").iterdir())]


def model_files() -> dict[str, bytes]:
    """The model's parts and its tokenizer, by the names of their files."""
    model = load_bert_folder(bundled_folder())
    whole, scales = word_vectors(model)
    rows = [scale.tobytes() + numbers.tobytes() for numbers, scale in zip(whole, scales, strict=True)]
    layers = {f"layer-{layer}.onnx": data for layer, data in enumerate(export_layers(model))}
    heads = {f"heads-{layer}.onnx": data for layer, data in enumerate(export_heads(model))}
    shards = {
        f"words-{start // SHARD}.bin": b"".join(rows[start : start + SHARD]) for start in range(0, len(rows), SHARD)
    }
    tokenizer = json.dumps(tokenizer_file(Tokenizer.from_file(bundled_folder())), ensure_ascii=False)
    return {
        "tokenizer.json": tokenizer.encode(),
        "embeddings.onnx": export_embeddings(model),
        **heads,
        **layers,
        **shards,
    }


def tokenizer_file(tokenizer: Tokenizer) -> dict[str, Any]:
    """The tokenizer as its library writes it, and how it reads the characters of Unicode."""
    inner = tokenizer.inner.backend_tokenizer
    written = json.loads(inner.to_str()) | {"truncation": None, "padding": None}
    return {"tokenizer": written, "characters": kinds_of_characters(inner)}


def vocabulary_facts(tokenizer: Tokenizer) -> dict[str, Any]:
    """What the browser needs to know of a vocabulary; `viz/html/browser/site/tokens.mjs` describes it."""
    pieces = tokenizer.inner.backend_tokenizer.get_vocab()
    frame = {tokenizer.inner.cls_token_id, tokenizer.inner.sep_token_id, tokenizer.inner.pad_token_id}
    return {
        "longest": tokenizer.max_length,
        "frame": sorted(frame),
        "visible": {
            str(number): make_visible(piece) for piece, number in pieces.items() if make_visible(piece) != piece
        },
    }


def _page(files: dict[str, Any]) -> str:
    """The page with the shipped example, which shows before the model is loaded.

    Args:
        files: facts on those of the model.
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
    return document(page, site=_facts(traces["A"], model.tokenizer, (example.a, example.b)) | files)


def _facts(run: Trace, tokenizer: Tokenizer, texts: tuple[str, str]) -> dict[str, Any]:
    """What the page knows of the model; `viz/html/browser/contents.mjs` describes it."""
    title = title_of_model(run.model_name)
    return {
        "layers": run.num_layers,
        "heads": run.num_heads,
        "width": run.hidden_states.shape[-1],
        "shard": SHARD,
        **vocabulary_facts(tokenizer),
        "runtime": RUNTIME,
        "measures": list(heads_of_trace(run, units_of(run.tokens), "show").measures),
        "texts": list(texts),
        "most_beside": MOST_BESIDE,
        "about": [f"Model: {title}, run in this browser. {PRECISION}"],
    }
