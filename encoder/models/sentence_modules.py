"""The modules of a sentence-transformers folder behind its Transformer, in the library's own classes.

The library is imported only for folders with more than one plain pooling, because that takes seconds. No code that a
folder names is run: modules are chosen from a list, and weights are read from safetensors only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from torch import Tensor, nn

from encoder.errors import UnsupportedModelError
from encoder.models.files import MODULE_FOLDER, read_json, read_list
from encoder.models.weight_files import read_headers, read_tensors
from encoder.runs.trace import PoolingMode

# One pooling alone, by its names, of earlier versions as well. The root of the length does not change the cosine.
PLAIN: Mapping[str, PoolingMode] = MappingProxyType(
    {
        "mean": "mean",
        "cls": "cls",
        "max": "max",
        "weightedmean": "weightedmean",
        "lasttoken": "lasttoken",
        "mean_sqrt_len_tokens": "mean",
    }
)
LEGACY = {
    f"pooling_mode_{name}{ending}": name
    for name, ending in (
        *(("cls", "_token"), ("max", "_tokens"), ("mean", "_tokens")),
        *(("mean_sqrt_len_tokens", ""), ("weightedmean", "_tokens"), ("lasttoken", "")),
    )
}
ACTIVATIONS = ("torch.nn.modules.activation.", "torch.nn.modules.linear.Identity")
IDENTITY = "Identity"
OF_TEXT = "sentence_embedding"


class Module(NamedTuple):
    """One entry of modules.json: its class, its settings, and the folder of its weights."""

    kind: str
    settings: Mapping[str, Any]
    folder: Path


class ReadModules(NamedTuple):
    """What the modules of a folder do: `modules` is None if the mode alone says it, and the note "" then."""

    mode: PoolingMode
    modules: TextModules | None
    note: str


class TextModules(nn.Module):
    """The modules from the last states to the vector of a text."""

    def __init__(self, modules: Sequence[nn.Module]) -> None:
        super().__init__()
        self.inner = nn.ModuleList(modules)

    def forward(self, states: Tensor, attention_mask: Tensor, prompt_length: int = 0) -> Tensor:
        """(B, T, D) states and their mask (B, T) to (B, D') vectors.

        Args:
            prompt_length: tokens of the prompt, with the special token before it, which some poolings leave out.
        """
        features: dict[str, Any] = {"token_embeddings": states, "attention_mask": attention_mask}
        if prompt_length:
            features["prompt_length"] = prompt_length
        for module in self.inner:
            features = module(features)
        return features[OF_TEXT]


def read_modules(folder: Path) -> ReadModules:
    """The modules of a sentence-transformers folder.

    Raises:
        UnsupportedModelError: there is a module of another kind; the message is a clause.
        CheckpointError: a file is missing or damaged.
    """
    modules = [_module(folder, entry) for entry in read_list(folder / "modules.json")]
    poolings = [module for module in modules if module.kind == "Pooling"]
    if len(poolings) != 1:
        raise UnsupportedModelError("its pooling is not named" if not poolings else "it has several poolings")
    if [module.kind for module in modules[:2]] != ["Transformer", "Pooling"]:
        raise UnsupportedModelError("its pooling does not follow its Transformer")
    modes, after = _modes(poolings[0].settings), modules[2:]
    if (
        len(modes) == 1
        and poolings[0].settings.get("include_prompt", True)
        and not any(module.kind != "Normalize" for module in after)
    ):
        return ReadModules(PLAIN[modes[0]], None, "")
    linear = "max" not in modes and all(_is_linear(module, module is after[-1]) for module in after)
    names = ", then ".join(map(_name, (poolings[0], *after)))
    return ReadModules(
        "linear modules" if linear else "modules",
        TextModules([_loaded(module) for module in (poolings[0], *after)]).eval().requires_grad_(False),
        f"The vector of a text is made by the folder's own modules: {names}.",
    )


def _module(folder: Path, entry: Any) -> Module:
    kind, path = str(entry["type"]).rpartition(".")[2], str(entry["path"])
    if kind == "Transformer":
        if path and not MODULE_FOLDER.fullmatch(path):
            raise UnsupportedModelError(f"its Transformer lies in {path[:40]!r}")
        return Module(kind, {}, folder / path)
    if kind not in LOADERS:
        raise UnsupportedModelError(f"it has a module {kind[:40]!r}")
    if not MODULE_FOLDER.fullmatch(path):
        raise UnsupportedModelError(f"its {'pooling' if kind == 'Pooling' else kind} lies in {path[:40]!r}")
    where = folder / path
    settings = read_json(where / "config.json") if (where / "config.json").exists() or kind != "Normalize" else {}
    if settings.get("module_input_name", OF_TEXT) != OF_TEXT:  # of each token
        raise UnsupportedModelError(f"its {kind} changes {str(settings['module_input_name'])[:40]!r}")
    return Module(kind, settings, where)


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
    return module.kind == "Dropout" or (module.kind == "Normalize" and last)


def _activation(settings: Mapping[str, Any]) -> str:
    named = str(settings.get("activation_function", "torch.nn.modules.activation.Tanh"))
    if not named.startswith(ACTIVATIONS):  # it would be code that comes with the model
        raise UnsupportedModelError(f"its Dense has the activation {named[:60]!r}")
    return named.rpartition(".")[2]


def _name(module: Module) -> str:
    settings = module.settings
    if module.kind == "Pooling":
        return f"pooling by {' and '.join(_modes(settings))}"
    if module.kind != "Dense":
        return module.kind
    activation = _activation(settings)
    after = "" if activation == IDENTITY else f" and {activation}"
    return f"Dense from {settings['in_features']} to {settings['out_features']}{after}"


def _loaded(module: Module) -> nn.Module:
    try:
        made = LOADERS[module.kind](module.settings)
    except ImportError as error:
        raise UnsupportedModelError("sentence-transformers 6 or later, which computes it, is not installed") from error
    if made.state_dict():
        path = module.folder / "model.safetensors"
        if not path.exists():
            raise UnsupportedModelError(f"its {module.kind} has no safetensors")
        tensors = read_tensors(read_headers([path]))
        try:
            made.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
        except RuntimeError as error:
            raise UnsupportedModelError(f"the weights of its {module.kind} do not fit its settings") from error
    return made


def _pooling(settings: Mapping[str, Any]) -> nn.Module:
    from sentence_transformers.sentence_transformer.modules import Pooling

    width = settings.get("embedding_dimension", settings.get("word_embedding_dimension"))
    return Pooling(width, pooling_mode=_modes(settings), include_prompt=settings.get("include_prompt", True))


def _dense(settings: Mapping[str, Any]) -> nn.Module:
    from sentence_transformers.sentence_transformer.modules import Dense

    options = {name: settings[name] for name in ("bias", "use_residual") if name in settings}
    activation = getattr(nn, _activation(settings))()
    return Dense(settings["in_features"], settings["out_features"], activation_function=activation, **options)


def _normalize(settings: Mapping[str, Any]) -> nn.Module:
    from sentence_transformers.sentence_transformer.modules import Normalize

    return Normalize()


def _layer_norm(settings: Mapping[str, Any]) -> nn.Module:
    from sentence_transformers.sentence_transformer.modules import LayerNorm

    return LayerNorm(settings["dimension"])


def _dropout(settings: Mapping[str, Any]) -> nn.Module:
    from sentence_transformers.sentence_transformer.modules import Dropout

    return Dropout(settings.get("dropout", 0.2))


LOADERS = {
    "Pooling": _pooling,
    "Dense": _dense,
    "Normalize": _normalize,
    "LayerNorm": _layer_norm,
    "Dropout": _dropout,
}
