"""An atlas as a whole: its plan, which is stored first, so that a resumed build uses the same, and its description."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from encoder.atlas.tables import SCHEMA, read_table, write_bytes
from encoder.errors import AtlasError, DataError
from encoder.models.base import Backend

PLAN, ABOUT = "plan.json", "atlas.json"
Plan = dict[str, Any]
File = dict[str, str]  # its "name" and "sha256"


def model_checksum(backend: Backend) -> str:
    """A checksum of all weights of a model, with their names."""
    digest = hashlib.sha256()
    for module in backend.modules:
        for name, tensor in sorted(module.state_dict().items()):
            digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
            digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def check_same_weights(atlas: Path, checksum: str, backend: Backend) -> None:
    """Raise AtlasError if a model has changed since an atlas was built from the weights with a checksum."""
    if checksum != model_checksum(backend):
        raise AtlasError(f"{atlas} was built from other weights than {backend.name} has now: build it again.")


def fingerprint(path: Path) -> File:
    """A file's name and checksum. Raises DataError if it cannot be read."""
    try:
        with path.open("rb") as file:
            return {"name": path.name, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from error


def check_distinct(files: Sequence[File]) -> None:
    """Raise AtlasError if two files of a half are equal, or share a name: sentences are identified by name and line."""
    names: dict[str, str] = {}  # by checksum
    for file in files:
        if file["sha256"] in names:
            raise AtlasError(f"{file['name']} would be counted twice: give it once.")
        if file["name"] in names.values():
            raise AtlasError(
                f"Two files are called {file['name']}: rename one, because a sentence is named by its file and line."
            )
        names[file["sha256"]] = file["name"]


def check_disjoint(choose: Sequence[File], measure: Sequence[File]) -> None:
    """Raise AtlasError if heads would be measured on a file that they were chosen on."""
    chosen_on = {file["sha256"] for file in choose}
    for file in measure:
        if file["sha256"] in chosen_on:
            raise AtlasError(f"{file['name']} is given to choose heads and to measure them: no file can do both.")


def start(folder: Path, plan: Plan, *, resume: bool, what: str = "atlas") -> None:
    """Write the plan to a new folder; to resume, raise AtlasError unless the folder has the same plan.

    Only an atlas may be started without resuming.

    Args:
        plan: its "schema" is the version of what is written.
        what: the folder holds, for messages.
    """
    path = folder / PLAN
    if path.exists():
        if not resume:
            raise AtlasError(f"{folder} holds an atlas already: continue with --resume, or name another folder.")
        before = read_plan(folder, what=what, schema=plan["schema"])
        different = sorted(key for key in plan.keys() | before.keys() if plan.get(key) != before.get(key))
        if different:
            raise AtlasError(
                f"{folder} was started with other settings ({', '.join(different)}): name another folder, or give the "
                "same settings."
            )
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_empty = all(entry.name.endswith(".unfinished") for entry in folder.iterdir())
    except OSError as error:
        raise AtlasError(f"{folder} cannot be created: {error.strerror}.") from error
    if not is_empty:
        raise AtlasError(f"{folder} is not empty and holds no {what}: name another folder.")
    write_bytes(path, json.dumps(plan, indent=1).encode())


def read_plan(folder: Path, *, what: str = "atlas", schema: int = SCHEMA) -> Plan:
    """The plan in a folder. Raises AtlasError if there is none, or it is damaged or of another version."""
    try:
        plan: Plan = json.loads((folder / PLAN).read_text(encoding="utf-8"))
        if not isinstance(plan, dict):
            raise ValueError(PLAN)
    except (OSError, ValueError) as error:
        raise AtlasError(f"{folder} holds no {what}: {PLAN} is missing or damaged.") from error
    if plan.get("schema") != schema:
        raise AtlasError(
            f"{folder} has schema {plan.get('schema')!r}; this version reads {schema}. Build the {what} again, in an "
            "empty folder."
        )
    return plan


def checksum_of(plan: Plan) -> str:
    """The checksum that ties partial results to their plan."""
    return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()


def read_about(folder: Path) -> dict[str, Any]:
    """The description of an atlas. Raises AtlasError if the folder holds no finished atlas."""
    try:
        about: dict[str, Any] = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise AtlasError(f"{folder} holds no finished atlas: build it to its end.") from error
    except (OSError, ValueError) as error:
        raise AtlasError(f"{folder / ABOUT} is damaged: build the atlas again.") from error
    return about


def read_atlas(folder: Path) -> dict[str, Any]:
    """The description of an atlas, with `relations`, `heads` and `habits` as lists of rows."""
    tables = ("relations", "heads", "habits")
    return {**read_about(folder), **{name: read_table(folder / f"{name}.parquet").to_pylist() for name in tables}}
