"""Write the files of a site, and remove those of the site that was there before."""

from __future__ import annotations

import errno
import hashlib
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from encoder.errors import ArgumentError

SUMS: Final = "SHA256SUMS"  # of every file, for `sha256sum --check`; what it lists is ours
_LINE: Final = re.compile(r"[0-9a-f]{64}  ((?:[\w-][\w.-]*/)*[\w-][\w.-]*)", re.ASCII)


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files; files of an earlier site that are not among them are removed, and no others.

    Args:
        files: by names with "/" between the parts.
    Raises:
        ArgumentError: the folder holds a file of such a name that is not from an earlier site.
        OSError: a file cannot be written, or the disk has no room; then nothing is removed or written.
    """
    before = refuse_foreign(folder, files)
    _check_room(folder, files)
    for name in before - files.keys() - {SUMS}:
        (folder / name).unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
    (folder / SUMS).write_text(sums, encoding="utf-8", newline="\n")  # first, so that a rebuild knows its files
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    for emptied in {(folder / name).parent for name in before} - {folder}:
        if emptied.is_dir() and not any(emptied.iterdir()):
            emptied.rmdir()


def refuse_foreign(folder: Path, names: Iterable[str]) -> set[str]:
    """The files of the site that was there before, among which are all of these names that the folder has.

    Raises:
        ArgumentError: they are not.
    """
    before = _names_in(folder / SUMS)
    foreign = next((name for name in (SUMS, *names) if name not in before and (folder / name).exists()), None)
    if foreign:
        raise ArgumentError(
            f"{folder} has a file {foreign} that is not from Headlight: move it, or name another folder."
        )
    return before


def _names_in(sums: Path) -> set[str]:
    """The files of the site whose list this is, and the list; none if it is no such list."""
    if not sums.is_file():
        return set()
    lines = [_LINE.fullmatch(line) for line in sums.read_text(encoding="utf-8", errors="replace").splitlines()]
    return {SUMS, *(line[1] for line in lines if line)} if all(lines) else set()


def _check_room(folder: Path, files: Mapping[str, bytes]) -> None:
    existing = next(path for path in (folder, *folder.absolute().parents) if path.is_dir())
    needed = sum(map(len, files.values()))
    replaced = sum((folder / name).stat().st_size for name in files if (folder / name).is_file())
    free = shutil.disk_usage(existing).free + replaced
    if needed > free:
        raise OSError(errno.ENOSPC, f"it needs {needed / 1e6:.0f} MB, and the disk has {free / 1e6:.0f}")
