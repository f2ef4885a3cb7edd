"""Mutants of a source file: the file with one small mistake in it.

The mistakes are mutmut's: another operator, another number, an argument left out, a condition that always holds. mutmut
itself runs mutants from copies of each function inside the module, and leaves out what has a decorator; here every
mutant is a whole file, so that properties, cached functions and those in inference mode have theirs, too.
"""

from __future__ import annotations

import difflib
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import deep_replace
from mutmut.mutation.mutators import mutation_operators

# What no test can notice: a type that is only claimed, and `strict=True`, which checks lengths that are always equal.
UNNOTICEABLE_CALLS = ("cast", "TypeVar")
STRICT = re.compile(r",\s*(strict\s*=\s*\w+\s*)?\)")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One file with one mistake.

    Attributes:
        path: the file, from the root.
        line: where the mistake is, from 1.
        source: the whole text of the file.
        diff: what is changed, as a unified diff without its head.
    """

    path: Path
    line: int
    source: str
    diff: str


@dataclass(frozen=True, slots=True, eq=False)
class Mistake:
    """One node of a file's syntax tree, what takes its place, and the line on which it begins."""

    path: Path
    source: str
    module: cst.Module
    original: cst.CSTNode
    replacement: cst.CSTNode
    line: int


class _Finder(cst.CSTVisitor):
    """Collects the mistakes that can be made inside the functions of a module."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[cst.CSTNode, cst.CSTNode, int]] = []  # a node, another one, a line
        self._functions = 0  # that are open

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Annotation | cst.Decorator | cst.Import | cst.ImportFrom):
            return False
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in UNNOTICEABLE_CALLS:
            return False
        if self._functions:
            self._note(node)
        self._functions += isinstance(node, cst.FunctionDef)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self._functions -= isinstance(original_node, cst.FunctionDef)

    def _note(self, node: cst.CSTNode) -> None:
        position = self.get_metadata(PositionProvider, node, None)
        for kind, operator in mutation_operators:
            if position is not None and isinstance(node, kind):
                for replacement in operator(node):
                    self.found.append((node, replacement, position.start.line))


def mistakes_in(path: Path, source: str) -> list[Mistake]:
    """Every mistake that can be made in a file; some of them change nothing that could be noticed."""
    wrapper = MetadataWrapper(cst.parse_module(source))
    finder = _Finder()
    wrapper.visit(finder)
    return [Mistake(path, source, wrapper.module, *found) for found in finder.found]


def sampled(mistakes: Sequence[Mistake], count: int, *, seed: int) -> list[Mutant]:
    """So many mutants, the same ones for the same seed, by file and line; fewer where there are not so many."""
    order = random.Random(seed).sample(range(len(mistakes)), len(mistakes))
    mutants = filter(None, (mutant_of(mistakes[index]) for index in order))
    return sorted(islice(mutants, count), key=lambda mutant: (mutant.path, mutant.line))


def mutant_of(mistake: Mistake) -> Mutant | None:
    """The file with the mistake in it, or None where that is no program or one that no test can tell from the file."""
    changed = deep_replace(mistake.module, mistake.original, mistake.replacement)
    if not isinstance(changed, cst.Module) or STRICT.sub(")", changed.code) == STRICT.sub(")", mistake.source):
        return None
    try:
        compile(changed.code, str(mistake.path), "exec", dont_inherit=True)
    except SyntaxError:
        return None
    return Mutant(mistake.path, mistake.line, changed.code, "\n".join(_changes(mistake.source, changed.code)))


def _changes(before: str, after: str) -> Iterator[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=1, lineterm="")
    return (line for line in lines if not line.startswith(("---", "+++")))
