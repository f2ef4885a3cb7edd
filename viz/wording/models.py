"""Names of models for the page and for files."""

from __future__ import annotations

from encoder.models.files import usual_name
from encoder.offers import PATHS, ModelName, without_prefix
from encoder.shipped.names import STEP_PREFIX


def title_of_model(name: str) -> str:
    """The model's title in the catalogue, with the step of one that is in training; or its name."""
    entry, (_, _, step) = ModelName(name).entry, name.partition(STEP_PREFIX)
    if entry is None:
        return name
    return f"{entry.title}{step and f', step {step}'}{'' if usual_name(name) == name else ', all positions'}"


def name_in_short(name: str, *others: str) -> str:
    """A model's name; of a path, as many of its last parts as distinguish it from other names, at least one."""
    path = without_prefix(name)
    prefix = name.removesuffix(path)
    if not path.startswith(PATHS):
        return name
    parts = path.rstrip("/").split("/")
    alike = [other for other in others if other != name and other.removesuffix(without_prefix(other)) == prefix]
    ends = [without_prefix(other).rstrip("/").split("/") for other in alike]
    count = 1
    while count < len(parts) and any(end[-count:] == parts[-count:] for end in ends):
        count += 1
    return prefix + ("/".join(parts[-count:]) or path)
