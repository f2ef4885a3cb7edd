"""The folder of a site: its own files are replaced, files of others stay."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from encoder.errors import ArgumentError
from viz.site.folder import SUMS, write_folder


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def test_a_rebuild_removes_stale_files_and_leaves_those_of_others(tmp_path: Path) -> None:
    write_folder(tmp_path, {"index.html": b"1", "old/a.bin": b"2", "b.bin": b"3"})
    (tmp_path / "CNAME").write_bytes(b"mine")
    write_folder(tmp_path, {"index.html": b"4", "new/a.bin": b"5"})
    found = files_in(tmp_path)
    sums = found.pop(SUMS).decode()
    assert found == {"CNAME": b"mine", "index.html": b"4", "new/a.bin": b"5"}
    assert [line.split()[1] for line in sums.splitlines()] == ["index.html", "new/a.bin"]
    assert not (tmp_path / "old").exists()


def test_a_foreign_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_bytes(b"mine")
    with pytest.raises(ArgumentError, match=r"has a file index\.html that is not from Headlight"):
        write_folder(tmp_path, {"a.bin": b"1", "index.html": b"2"})
    assert files_in(tmp_path) == {"index.html": b"mine"}


@pytest.mark.parametrize("name", ["../outside.txt", "/outside.txt", "a/../../outside.txt", ".git/config"])
def test_a_list_of_files_elsewhere_removes_nothing(tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_bytes(b"mine")
    folder = tmp_path / "site"
    write_folder(folder, {"a.bin": b"1"})
    (folder / SUMS).write_text(f"{'0' * 64}  {name}\n", encoding="utf-8")
    with pytest.raises(ArgumentError, match="not from Headlight"):
        write_folder(folder, {"b.bin": b"2"})
    assert outside.exists()
    assert files_in(folder).keys() == {"a.bin", SUMS}


def test_without_room_nothing_is_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_folder(tmp_path, {"a.bin": b"1"})
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 9, 1))
    with pytest.raises(OSError, match="it needs 3 MB, and the disk has 0"):
        write_folder(tmp_path, {"b.bin": bytes(3_000_000)})
    assert files_in(tmp_path)["a.bin"] == b"1"
