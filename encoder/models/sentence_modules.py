"""The modules of a sentence-transformers folder behind its Transformer, in the library's own classes.

The library is imported only for folders with more than one plain pooling, because that takes seconds. No code that a
folder names is run: modules are chosen from a list, and weights are read from safetensors only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from torch import Tensor, nn

from encoder.errors import UnsupportedModelError
from encoder.models.files import MODULE_FOLDER, read_json, read_list
from encoder.models.weight_files import read_headers, read_tensors
from encoder.runs.trace import PoolingMode

Scale = Literal["none", "length 1", "root of the tokens"]
# One pooling alone, by its names, of earlier versions as well.
PLAIN: Mapping[str, PoolingMode] = {
    "mean": "mean",
    "cls": "cls",
    "max": "max",
    "weightedmean": "weightedmean",
    "lasttoken": "lasttoken",
    "mean_sqrt_len_tokens": "mean",
}
LEGACY = {
    f"pooling_mode_{name}{ending}": name
    for name, ending in (
        *(("cls", "_token"), ("max", "_tokens"), ("mean", "_tokens")),
        *(("mean_sqrt_len_tokens", ""), ("weightedmean", "_tokens"), ("lasttoken", "")),
    )
}
ACTIVATIONS = ("torch.nn.modules.activation.", "torch.nn.modules.linear.Identity")
IDENTITY, MASK = "Identity", "MultiVectorMask"
NAMES = ("module_input_name", "module_output_name")
OF_TEXT, OF_TOKENS = "sentence_embedding", "token_embeddings"


class Module(NamedTuple):
    """One entry of modules.json: its class, its settings, and the folder of its weights."""

    kind: str
    settings: Mapping[str, Any]
    folder: Path

    @property
    def changes(self) -> str:
        """What it reads and writes: the vector of the text, or that of each token."""
        return str(self.settings.get("module_input_name", OF_TEXT))


class ReadModules(NamedTuple):
    """What the modules of a folder do: `modules` is None if mode and scale say it, and the note "" then."""

    mode: PoolingMode
    scale: Scale
    modules: TextModules | None
    note: str


class TextModules(nn.Module):
    """The modules from the last states to the vector of a text."""

    def __init__(self, modules: Sequence[nn.Module], *, dimension: int | None = None, output: str = OF_TEXT) -> None:
        """Chain modules.

        Args:
            dimension: how many of the first components are used; None for all.
            output: what they make: the vector of a text, or with `OF_TOKENS` those of its tokens.
        """
        super().__init__()
        self.inner = nn.ModuleList(modules)
        self.dimension, self.output = dimension, output

    def forward(self, states: Tensor, attention_mask: Tensor, prompt_length: int = 0) -> Tensor:
        """(B, T, D) states and their mask (B, T) to (B, D') vectors, or (B, T, D') of tokens.

        Args:
            prompt_length: tokens of the prompt, with the special token before it, which some poolings leave out.
        """
        features: dict[str, Any] = {OF_TOKENS: states, "attention_mask": attention_mask}
        if prompt_length:
            features["prompt_length"] = prompt_length
        for module in self.inner:
            features = module(features)
        return features[self.output][..., : self.dimension]


def read_modules(folder: Path, *, dimension: int | None = None) -> ReadModules:
    """The modules of a sentence-transformers folder.

    Args:
        dimension: as in `TextModules`.
    Raises:
        UnsupportedModelError: there is a module of another kind; the message is a clause.
        CheckpointError: a file is missing or damaged.
    """
    modules = [read_module(folder, entry) for entry in read_list(folder / "modules.json")]
    kinds = [module.kind for module in modules]
    if kinds.count("Pooling") != 1:
        raise UnsupportedModelError("it has several poolings" if "Pooling" in kinds else "its pooling is not named")
    if MASK in kinds or kinds.index("Transformer") or kinds.count("Transformer") > 1:
        raise UnsupportedModelError("its modules do not begin with one Transformer, or select tokens")
    place = kinds.index("Pooling")
    early = next((each.kind for each in modules[1:place] if each.kind != "Normalize" and each.changes == OF_TEXT), None)
    if early is not None:
        raise UnsupportedModelError(f"its {early} reads the vector of a text before its pooling makes one")
    modes, all_after = _modes(modules[place].settings), modules[1:]
    if (
        len(modes) == 1
        and dimension is None
        and modules[place].settings.get("include_prompt", True)
        and all(each.kind in ("Normalize", "Pooling") and each.changes == OF_TEXT for each in all_after)
    ):
        root: Scale = "root of the tokens" if modes == ("mean_sqrt_len_tokens",) else "none"
        return ReadModules(PLAIN[modes[0]], "length 1" if kinds[-1] == "Normalize" else root, None, "")
    linear = "max" not in modes and all(_is_linear(each, each is all_after[-1]) for each in all_after)
    names = ", then ".join(map(_name, all_after))
    cut = "" if dimension is None else f", of which the first {dimension} numbers are used"
    return ReadModules(
        "linear modules" if linear else "modules",
        "none",
        TextModules([loaded(each) for each in all_after], dimension=dimension).eval().requires_grad_(False),
        f"The vector of a text is made by the folder's own modules: {names}{cut}.",
    )


def read_module(folder: Path, entry: Any, *, defaults: Mapping[str, Any] = MappingProxyType({})) -> Module:
    """One entry of modules.json, with settings that its file may leave out. Raises as `read_modules`."""
    kind, path = str(entry["type"]).rpartition(".")[2], str(entry["path"])
    if kind == "Transformer":
        if path and not MODULE_FOLDER.fullmatch(path):
            raise UnsupportedModelError(f"its Transformer lies in {path[:40]!r}")
        return Module(kind, {}, folder / path)
    if kind not in OPTIONS:
        raise UnsupportedModelError(f"it has a module {kind[:40]!r}")
    if not MODULE_FOLDER.fullmatch(path):
        raise UnsupportedModelError(f"its {'pooling' if kind == 'Pooling' else kind} lies in {path[:40]!r}")
    where = folder / path
    is_there = (where / "config.json").exists() or kind != "Normalize"
    settings = {**defaults, **(read_json(where / "config.json") if is_there else {})}
    module = Module(kind, settings, where)
    written = settings.get("module_output_name") or module.changes
    if module.changes not in (OF_TEXT, OF_TOKENS) or written != module.changes:
        raise UnsupportedModelError(f"its {kind} makes {str(written)[:40]!r} of {module.changes[:40]!r}")
    return module


def _modes(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the poolings whose results are concatenated, in the library's order."""
    named = settings.get("pooling_mode")
    if named is None:
        named = [mode for key, mode in LEGACY.items() if settings.get(key)] or ["mean"]
    modes = (named,) if isinstance(named, str) else tuple(map(str, named))
    if not modes or any(mode not in PLAIN for mode in modes):
        raise UnsupportedModelError(f"its pooling is {', '.join(modes)[:60] or 'not named'}")
    return modes


def _is_linear(module: Module, last: bool) -> bool:
    """Whether a module is an affine map of a text's vector; what only scales it at the end does not change a cosine."""
    if module.kind == "Dense":
        return _activation(module.settings) == IDENTITY
    return module.kind in ("Pooling", "Dropout") or (module.kind == "Normalize" and last and module.changes == OF_TEXT)


def _activation(settings: Mapping[str, Any]) -> str:
    named = str(settings.get("activation_function", "torch.nn.modules.activation.Tanh"))
    if not named.startswith(ACTIVATIONS):  # it would be code that comes with the model
        raise UnsupportedModelError(f"its Dense has the activation {named[:60]!r}")
    return named.rpartition(".")[2]


def _name(module: Module) -> str:
    settings = module.settings
    if module.kind == "Pooling":
        return f"pooling by {' and '.join(_modes(settings))}"
    of_tokens = " of each token" if module.changes == OF_TOKENS else ""
    if module.kind != "Dense":
        return f"{module.kind}{of_tokens}"
    activation = _activation(settings)
    after = "" if activation == IDENTITY else f" and {activation}"
    return f"Dense{of_tokens} from {settings['in_features']} to {settings['out_features']}{after}"


def loaded(module: Module, tensors: Mapping[str, Tensor] | None = None) -> nn.Module:
    """A module in the library's class, with its own weights unless others are given. Raises as `read_modules`."""
    try:
        made = _made(module)
    except ImportError as error:
        raise UnsupportedModelError("sentence-transformers 6 or later, which computes it, is not installed") from error
    if made.state_dict() and tensors is None:
        path = module.folder / "model.safetensors"
        if not path.exists():
            raise UnsupportedModelError(f"its {module.kind} has no safetensors")
        tensors = read_tensors(read_headers([path]))
    if tensors is not None:
        try:
            made.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
        except RuntimeError as error:
            raise UnsupportedModelError(f"the weights of its {module.kind} do not fit its settings") from error
    return made


def _options_of_pooling(settings: Mapping[str, Any]) -> dict[str, Any]:
    width = settings.get("embedding_dimension", settings.get("word_embedding_dimension"))
    include_prompt = settings.get("include_prompt", True)
    return {"embedding_dimension": width, "pooling_mode": _modes(settings), "include_prompt": include_prompt}


def _options_of_dense(settings: Mapping[str, Any]) -> dict[str, Any]:
    names = ("in_features", "out_features", "bias", "use_residual", *NAMES)
    activation = getattr(nn, _activation(settings))()
    return {name: settings[name] for name in names if name in settings} | {"activation_function": activation}


# The options of the library's class for each kind of module, by its settings.
OPTIONS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    MASK: lambda settings: {},
    "Pooling": _options_of_pooling,
    "Dense": _options_of_dense,
    "Normalize": lambda settings: {name: settings[name] for name in NAMES if name in settings},
    "LayerNorm": lambda settings: {"dimension": settings["dimension"]},
    "Dropout": lambda settings: {"dropout": settings.get("dropout", 0.2)},
}


def _made(module: Module) -> nn.Module:
    if module.kind == MASK:
        return nn.Identity()  # which tokens are compared is read from its settings
    from sentence_transformers.sentence_transformer import modules as library

    made: nn.Module = getattr(library, module.kind)(**OPTIONS[module.kind](module.settings))
    return made
