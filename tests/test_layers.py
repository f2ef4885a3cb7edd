"""Data flows one way: the imports of every module, held against the layers of the design."""

import ast
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT_TRANSFORMERS = {
    *("encoder.pretrained", "encoder.pretrained_seq2seq", "encoder.loading", "encoder.capture", "encoder.tokenizer"),
}
WITHOUT_TORCH = ("encoder.measures", "encoder.trace", "encoder.generation", "viz", "app")
# What may not import what; a prefix stands for the package and all in it.
PAGE = ("viz.panel", "viz.panels", "viz.page", "viz.sidebar", "viz.body", "viz.opening", "app")
FORBIDDEN = {
    "encoder": ("streamlit", "plotly", "bertviz", "viz", "app"),
    "viz.theme": ("streamlit", "plotly", "encoder", "viz"),
    "viz.figures": ("streamlit", "viz.components", "viz.state", "viz.cache", *PAGE),
    "viz.components": ("plotly", "viz.figures", "viz.state", "viz.cache", *PAGE),
    "viz.state": ("viz.figures", *PAGE),
    "viz.cache": PAGE,
    "viz.panels": ("viz.page", "viz.sidebar", "viz.body", "viz.opening", "app"),
}
# A figure takes one prepared slice and its tokens, a component a payload: no model, no run of one.
MODELS_AND_TRACES = tuple(
    f"encoder.{name}"
    for name in (
        *(
            "backend",
            "capture",
            "catalogue",
            "decoder",
            "generation",
            "hub",
            "model",
            "pretrained",
            "pretrained_seq2seq",
        ),
        *("scratch", "seq2seq", "trace", "trained_seq2seq", "load", "Trace"),
    )
)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def sources() -> dict[str, str]:
    """The text of every module of the project, by name; a folder that is not there yet has none."""
    paths = [ROOT / "app.py", *(ROOT / "encoder").rglob("*.py"), *(ROOT / "viz").rglob("*.py")]
    return {module_name(path): path.read_text(encoding="utf-8") for path in sorted(paths) if path.exists()}


def imports(module: str, source: str, *, is_package: bool = False) -> set[str]:
    """Everything that a module imports, wherever it does so: names as `package.module.thing`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = module.split(".")[: None if is_package and node.level == 1 else is_package - node.level]
                base = ".".join([*parents, *filter(None, [node.module])])
            found |= {f"{base}.{alias.name}" for alias in node.names}
    return found


def within(name: str, packages: Iterable[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def violations(module: str, imported: set[str]) -> list[str]:
    """What a module imports against the rules, as sentences."""
    bad = []
    for layer, forbidden in FORBIDDEN.items():
        if within(module, [layer]):
            bad += [f"{layer} may not import {name}" for name in imported if within(name, forbidden)]
    if within(module, WITHOUT_TORCH):
        bad += [f"torch stops at the trace, not in {module}" for name in imported if within(name, ["torch"])]
    if module not in MAY_IMPORT_TRANSFORMERS:
        bad += [
            f"transformers belongs in {MAY_IMPORT_TRANSFORMERS}" for name in imported if within(name, ["transformers"])
        ]
    if within(module, ["viz.figures", "viz.components"]):
        bad += [f"no model and no trace: {name}" for name in imported if within(name, MODELS_AND_TRACES)]
    return bad


SOURCES = sources()
PACKAGES = {module for module in SOURCES if (ROOT / module.replace(".", "/")).is_dir()}
IMPORTS = {module: imports(module, source, is_package=module in PACKAGES) for module, source in SOURCES.items()}


@pytest.mark.parametrize("module", SOURCES)
def test_module_stays_in_its_layer(module: str) -> None:
    assert violations(module, IMPORTS[module]) == []


def streamlit_uses(source: str) -> set[str]:
    """What a module uses of streamlit, as dotted names with two parts: "components.v2"."""
    tree = ast.parse(source)
    names = {
        alias.asname or alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    uses = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "streamlit":
            uses |= {f"{node.module}.{alias.name}".removeprefix("streamlit.") for alias in node.names}
        chain: list[str] = []
        at: ast.AST = node
        while isinstance(at, ast.Attribute):
            chain.insert(0, at.attr)
            at = at.value
        if chain and isinstance(at, ast.Name) and at.id in names & {"st", "streamlit"}:
            uses.add(".".join(chain))
    # An attribute of an attribute is visited as well, and says no more than the longer chain.
    return {use for use in uses if not any(other.startswith(f"{use}.") for other in uses)}


@pytest.mark.parametrize("module", [module for module in SOURCES if within(module, ["viz.components"])])
def test_component_uses_streamlit_to_register_itself_only(module: str) -> None:
    """Payloads, checks and answers are plain functions; the runtime is met where the component is made and mounted."""
    uses = streamlit_uses(SOURCES[module])
    if uses:
        assert module in PACKAGES, f"{module} uses streamlit outside of the component's __init__"
    assert all(within(use, ["components.v2"]) for use in uses), uses


def returns_a_figure(module: str, function: str) -> bool:
    defined = [
        node
        for node in ast.walk(ast.parse(SOURCES.get(module, "")))
        if isinstance(node, ast.FunctionDef) and node.name == function
    ]
    return any(node.returns is not None and ast.unparse(node.returns).endswith("Figure") for node in defined)


def siblings_used(package: str, members: set[str], imported: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Imports of a package's members by its other modules; what they share lies in modules that are no members."""
    return [
        (module, name)
        for module in imported
        if module.startswith(f"{package}.")
        for name in imported[module]
        if within(name, members - {module})
    ]


def test_figures_never_call_figures() -> None:
    """A figure module is one from which `viz.figures` exports a function that returns a figure."""
    exported = [name.rpartition(".") for name in IMPORTS.get("viz.figures", ())]
    figures = {module for module, _, function in exported if returns_a_figure(module, function)}
    assert figures or "viz.figures" not in SOURCES
    assert siblings_used("viz.figures", figures, IMPORTS) == []


def test_panels_never_import_each_other() -> None:
    """A panel module is one that `viz.panels` collects."""
    collected = {name.rpartition(".")[0] for name in IMPORTS.get("viz.panels", ())}
    panels = {module for module in collected if module.startswith("viz.panels.")}
    assert panels or "viz.panels" not in SOURCES
    assert siblings_used("viz.panels", panels, IMPORTS) == []


def test_a_sibling_that_is_used_is_seen() -> None:
    imported = {"p": {"p.a.f", "p.b.g"}, "p.a": {"p.b.g"}, "p.b": {"p.common.h"}, "p.common": {"p"}}
    assert siblings_used("p", {"p.a", "p.b"}, imported) == [("p.a", "p.b.g")]


def test_app_stays_under_100_lines() -> None:
    assert len(SOURCES.get("app", "").splitlines()) < 100


def test_the_parser_sees_every_way_to_import() -> None:
    source = "import a.b as c\nfrom d import e, f\n"
    inside = "def g():\n    from . import h\n    from .i import j\n    from ..k import l"
    assert imports("x.y.z", source + inside) == {"a.b", "d.e", "d.f", "x.y.h", "x.y.i.j", "x.k.l"}
    assert imports("x.y", "from . import h\nfrom ..k import l", is_package=True) == {"x.y.h", "x.k.l"}


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("encoder.model", "import streamlit"),
        ("encoder.measures.entropy", "import torch.nn.functional as F"),
        ("encoder.trace", "def f():\n    from torch import Tensor"),
        ("encoder.model", "from transformers import BertModel"),
        ("encoder.tokens", "from viz.theme import Theme"),
        ("viz.figures.norms", "import streamlit as st"),
        ("viz.figures.norms", "from encoder.trace import Trace"),
        ("viz.figures.norms", "from encoder import Trace"),
        ("viz.components.strip", "from ..panels import norms"),
        ("viz.panels.norms", "import torch"),
    ],
)
def test_a_wrong_import_is_seen(module: str, source: str) -> None:
    assert violations(module, imports(module, source)) != []


def test_runtime_use_of_streamlit_in_a_component_is_seen() -> None:
    assert streamlit_uses("import streamlit as st\nst.components.v2.component('x')\nst.session_state['a']") == {
        "components.v2.component",
        "session_state",
    }
    assert streamlit_uses("from streamlit.components.v2 import component") == {"components.v2.component"}
