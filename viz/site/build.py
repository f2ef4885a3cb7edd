"""Write the folder of a page without a server."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import files as installed_files
from pathlib import Path
from typing import Any, Final

from encoder.atlas.reader import shipped_atlas
from encoder.experiments.senses.states import band_of_model
from encoder.export.graph import Graphs
from encoder.export.measures import export_measures
from encoder.export.parts import export_embeddings, export_first_heads, export_layers, word_vectors
from encoder.measures.similarity import ReferenceBand
from encoder.measures.units import units_of
from encoder.models.files import usual_name
from encoder.models.scratch import ScratchBackend
from encoder.runs.trace import Trace
from encoder.shipped.names import BUNDLED, SCRATCH_BERT, TUNED
from encoder.text.tokenizer import Tokenizer
from viz.examples import EXAMPLES
from viz.html.document import PLOTLY
from viz.payloads.head_cards import cards
from viz.payloads.runs import heads_of_trace
from viz.saved_page.document import FirstScreen, document
from viz.saved_page.pages import page_of_traces, selection_of
from viz.saved_page.traces import Shown
from viz.site.answers import ANSWERS, answers_file
from viz.site.characters import characters
from viz.site.folder import refuse_foreign, write_folder
from viz.site.inputs import EXPLANATIONS, form, input_facts, page_of_site
from viz.site.lessons import Lesson, lessons_of, read_tours
from viz.site.predictions import with_predictions
from viz.site.removed_words import with_removed_words
from viz.site.steps import steps_of, steps_slider, training_facts
from viz.site.strips import INFLECTIONS, inflections, strips, tag_settings
from viz.site.typed_texts import typed_facts
from viz.site.word_lens import word_lens, words_of_lens
from viz.wording.labels import make_visible
from viz.wording.models import title_of_model

PAGE: Final = "index.html"
RUNTIME: Final = "ort-wasm-simd-threaded.wasm"
SERVICE_WORKER: Final = "service-worker.js"
MANIFEST: Final = "manifest.webmanifest"
ICON: Final = "icon.svg"
IOS_ICON: Final = "icon.png"
SHARD: Final = 128  # rows of the table of words in a file: a sentence needs about seven files, of 90 kB each
Texts = tuple[str, str]  # sentences A and B; B is "" if there is none
_OF_EXAMPLES: Final = (BUNDLED, SCRATCH_BERT, TUNED)  # in which layer 0, head 4 answers the first example
_VIZ: Final = Path(__file__).parent.parent
_HTML: Final = _VIZ / "html"
_ROOT: Final = _VIZ.parent
_MANIFEST: Final = {
    "name": "Headlight",
    "start_url": "./",
    "display": "standalone",
    "icons": [
        {"src": ICON, "sizes": "any", "type": "image/svg+xml"},
        {"src": IOS_ICON, "sizes": "180x180", "type": "image/png"},
    ],
}
NEEDS_PYTHON: Final = (
    "The app has more views, which need Python: other methods of *Why this prediction?*, the anatomy of a run, "
    "examples of a head, tables of texts, and other models next to each other. `headlight` opens it, once "
    '`pip install ".[app]"` has installed it.'
)
PRECISION: Final = (
    "Its matrices are stored in 16 bits, which changes an attention weight by less than 0.001; all arithmetic is in 32 "
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
        InputError: a text cannot be encoded.
        ArgumentError: a lesson is no tour, or as in `viz.site.folder.write_folder`.
        OSError: as there.
    """
    tours = read_tours(lessons)
    a, b = texts or (EXAMPLES[0].a, EXAMPLES[0].b)
    traces = {place: model.trace(text) for place, text in (("A", a), ("B", b)) if text}
    folder.mkdir(parents=True, exist_ok=True)
    refuse_foreign(folder, [PAGE])  # before all the work
    band = band_of_model(model)
    parts = {name: gzip.compress(data, mtime=0) for name, data in _model_files(model, band).items()}
    parts[RUNTIME] = (_HTML / f"{RUNTIME}.zst").read_bytes()
    inside = f"model-{_name_of(*parts.values())}"
    code = (_HTML / "worker.js").read_bytes()
    worker = f"worker-{_name_of(code)}.js"
    sizes = {name: len(data) for name, data in parts.items()}
    served = {"worker": worker, "folder": inside, "sizes": sizes}
    pages = list(lessons_of(tours, model))
    shell = {
        PAGE: _page(model, band, traces, pages, served).encode(),
        worker: code,
        MANIFEST: json.dumps(_MANIFEST).encode(),
        **{name: (_VIZ / name).read_bytes() for name in (ICON, IOS_ICON)},
    }
    files = {
        **shell,
        PLOTLY: (_HTML / PLOTLY).read_bytes(),
        SERVICE_WORKER: _service_worker(shell, inside),
        **{f"{inside}/{name}.packed": data for name, data in parts.items()},
        **{lesson.address: lesson.html.encode() for lesson in pages},
        **{f"licenses/{path.name}": path.read_bytes() for path in _licenses()},
    }
    write_folder(folder, files)
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


def bytes_of(model: ScratchBackend) -> int:
    """About how many bytes the parts of a model take."""
    count = sum(parameter.numel() for parameter in model.encoder.layers.parameters())
    return 2 * (count + word_vectors(model.encoder)[0].size)


def _model_files(model: ScratchBackend, band: ReferenceBand) -> dict[str, bytes]:
    """The model's parts and its tokenizer, and its parts at steps of its training, by the names of their files."""
    whole, scales = word_vectors(model.encoder)
    rows = [scale.tobytes() + numbers.tobytes() for numbers, scale in zip(whole, scales, strict=True)]
    shards = {
        f"words-{start // SHARD}.bin": b"".join(rows[start : start + SHARD]) for start in range(0, len(rows), SHARD)
    }
    tokenizer = json.dumps(tokenizer_file(model.tokenizer), ensure_ascii=False).encode()
    graphs: Graphs = {}
    files = {
        "tokenizer.json": tokenizer,
        INFLECTIONS: inflections(model.tokenizer),
        **_parts(model, band, graphs),
        **shards,
    }
    for folder, at_step in steps_of(model).items():
        files |= {f"{folder}{name}": data for name, data in _parts(at_step, band_of_model(at_step), graphs).items()}
    return files


def _parts(model: ScratchBackend, band: ReferenceBand, graphs: Graphs) -> dict[str, bytes]:
    """What differs between two models of the same words, by the names of the files."""
    layers = export_layers(model.encoder, graphs=graphs)
    return {
        "embeddings.onnx": export_embeddings(model.encoder, graphs=graphs),
        "heads-0.onnx": export_first_heads(model.encoder, graphs=graphs),
        **{f"layer-{layer}.onnx": data for layer, data in enumerate(layers)},
        **export_measures(model, band, graphs=graphs),
        ANSWERS: answers_file(model, band),
    }


def tokenizer_file(tokenizer: Tokenizer) -> dict[str, Any]:
    """The tokenizer as its library writes it, and what there is to know of the characters of Unicode."""
    inner = tokenizer.inner.backend_tokenizer
    written = json.loads(inner.to_str()) | {"truncation": None, "padding": None}
    return {"tokenizer": written, "characters": characters(inner)}


def vocabulary_facts(tokenizer: Tokenizer) -> dict[str, Any]:
    """What the browser needs to know of a vocabulary; `viz/html/browser/contents.mjs` describes it."""
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


def _page(
    model: ScratchBackend,
    band: ReferenceBand,
    traces: Mapping[str, Trace],
    lessons: Sequence[Lesson],
    files: Mapping[str, Any],
) -> str:
    """The page with the run of its first texts, which shows before the model is loaded.

    Args:
        band: of `band_of_model`.
        traces: of the texts, by "A" and "B".
        files: facts on those of the model.
    """
    example = EXAMPLES[0]
    texts = tuple(trace.tokens.sentences[0] for trace in traces.values())
    is_answered = texts == (example.a, example.b) and usual_name(model.name) in _OF_EXAMPLES
    page = page_of_traces(
        traces,
        Shown(),
        view="heat map",
        selection=selection_of(layer=example.layer, head=example.head) if is_answered else selection_of(),
        answer=example.question if is_answered else "",
    )
    preferred = example.word if is_answered else ""
    together = {"word lens": word_lens(band, traces, preferred=preferred)}
    read = with_removed_words(with_predictions(page, traces), model, traces)
    titled = replace(read, title=f"{title_of_model(model.name)}: attention")
    listed = {lesson.address: lesson.title for lesson in lessons}
    training = training_facts(model, _about_model)
    tags = tag_settings(model.name, model.num_layers)
    views = (*titled.views, *together)
    of_form = input_facts(titled, model.name, views, tags, training)
    of_typed = typed_facts(titled, views, title_of_model(model.name), files["sizes"])
    atlas = shipped_atlas(model.name)
    of_texts = {
        "cards": cards(atlas) if atlas else None,
        "strips": strips(traces),
        "chosen": words_of_lens(traces, preferred=preferred),
    }
    facts = {**_facts(model, traces["A"]), **of_form, **of_typed, **of_texts, **files, "others": [PLOTLY, *listed]}
    a, b = (*texts, "")[:2]
    screen = FirstScreen(
        facts=facts,
        form=form(titled, (a, b), tags, steps_slider(training), listed),
        explanations=EXPLANATIONS,
        together=together,
        below=NEEDS_PYTHON,
    )
    return document(page_of_site(titled, facts["about"]), site=screen)


def _about_model(name: str, notes: Sequence[str]) -> list[str]:
    """The page's sentences on its model."""
    return [f"Model: {title_of_model(name)}, run in this browser. {PRECISION}", *notes]


def _facts(model: ScratchBackend, run: Trace) -> dict[str, Any]:
    """What the page knows of the model; `viz/html/browser/contents.mjs` describes it."""
    return {
        "layers": run.num_layers,
        "heads": run.num_heads,
        "width": word_vectors(model.encoder)[0].shape[1],
        "shard": SHARD,
        **vocabulary_facts(model.tokenizer),
        "runtime": RUNTIME,
        "measures": list(heads_of_trace(run, units_of(run.tokens), "show").measures),
        "step": "",
        "about": _about_model(model.name, (*run.notes, *(check.sentence for check in model.passport.remarks))),
    }
