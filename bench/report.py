"""The results as JSON and as a Markdown table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.measure import Row

HEAD = """# Benchmark

Written by `make bench`. Figures are medians of n, measured in turn with what they are compared to, so that ratios tell
more than times. "Painted" is the second frame after the picture has been drawn. A target is held against the ratio
ours / other, or against other / ours ("times faster", "times fewer") where it begins with ≥.
"""
COLUMNS = ("what", "tokens", "ours", "other", "unit", "n", "ratio", "target", "met")


def load(folder: Path) -> dict[str, Any]:
    """What was written before: parts by name; nothing where there is no file."""
    path = folder / "results.json"
    parts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return parts


def ordered(parts: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Parts, called by a name and an instruction set ("load, AVX2"), in the order of these names."""
    return {part: parts[part] for name in names for part in parts if part.partition(",")[0] == name}


def save(folder: Path, parts: Mapping[str, Any]) -> None:
    """Both files."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(parts, ensure_ascii=False, indent=1)
    (folder / "results.json").write_text(text + "\n", encoding="utf-8")
    (folder / "results.md").write_text(markdown(parts), encoding="utf-8")


def part(machine: Mapping[str, str], rows: Iterable[Row]) -> dict[str, Any]:
    """One part of the results, as it is written."""
    return {"machine": dict(machine), "rows": [asdict(row) | {"value": row.value, "met": row.met} for row in rows]}


def markdown(parts: Mapping[str, Any]) -> str:
    """All parts as tables, with what they were measured on."""
    texts = [HEAD]
    for results in parts.values():
        rows = [_row(row) for row in results["rows"]]
        by_title: dict[str, list[Row]] = {}
        for row in rows:
            by_title.setdefault(row.part, []).append(row)
        for title, some in by_title.items():
            heading = ", ".join([title, *filter(None, [results["machine"].get("instructions")])])
            texts.append(f"## {heading}\n\n{table(some)}\n\n{_sentence(results['machine'])}\n")
    return "\n".join(texts)


def table(rows: Iterable[Row]) -> str:
    """A Markdown table, one line a row; notes stand behind what was compared."""
    lines = [COLUMNS, tuple("---" if name in ("what", "met") else "---:" for name in COLUMNS)]
    lines += [cells(row) for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cells(row: Row) -> tuple[str, ...]:
    """One line of the table."""
    ratio = {"ratio": "{}", "inverse": "{} ×", "ours": ""}[row.judged_by].format(number(row.value)) if row.value else ""
    return (
        f"{row.what} ({row.note})" if row.note else row.what,
        str(row.tokens or ""),
        number(row.ours),
        number(row.other) or ("does not" if row.note.startswith("does not") else ""),
        row.unit,
        str(row.n),
        ratio,
        row.target,
        {True: "yes", False: "**no**", None: "not measured" if row.target else ""}[row.met],
    )


def number(value: float | None) -> str:
    """Three significant digits, thousands with commas."""
    if value is None:
        return ""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _row(written: Mapping[str, Any]) -> Row:
    return Row(**{name: value for name, value in written.items() if name not in ("value", "met")})


def _sentence(machine: Mapping[str, str]) -> str:
    rest = ", ".join(f"{name} {value}" for name, value in machine.items() if name not in ("measured", "processor"))
    return f"Measured on {machine['measured']}: {machine['processor']}; {rest}."
