"""What every model on offer can do, however it came about."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from encoder.errors import SelectionError
from encoder.tokenizer import Tokenizer
from encoder.tokens import Text, Tokens
from encoder.trace import Trace

Heads = Iterable[tuple[int, int]]


class Backend(ABC):
    """A model that turns one or two texts into a trace.

    Attributes:
        name: the name that `encoder.load` takes.
        tokenizer: its tokenizer, shared with every model of the same vocabulary.
        num_layers, num_heads: L and H.
    """

    name: str
    tokenizer: Tokenizer
    num_layers: int
    num_heads: int

    def tokenize(self, a: Text, b: Text | None = None) -> Tokens:
        """One or two texts, or lists of words, as the tokens that this model reads."""
        return self.tokenizer(a, b)

    @abstractmethod
    def run(self, tokens: Tokens, *, silenced_heads: Heads = ()) -> Trace:
        """One forward pass over tokens, with some heads' contexts replaced by zero."""

    def trace(self, a: Text, b: Text | None = None, *, silenced_heads: Heads = ()) -> Trace:
        """Encode one text or a pair.

        Args:
            a, b: a text, or a list of words.
            silenced_heads: (layer, head) pairs whose context is replaced by zero.
        Raises:
            InputError: nothing to encode.
            SelectionError: a head that the model does not have.
        """
        return self.run(self.tokenize(a, b), silenced_heads=silenced_heads)

    def check_heads(self, heads: Heads) -> tuple[tuple[int, int], ...]:
        """The pairs, sorted and each once, or SelectionError naming the first that the model lacks."""
        checked = tuple(sorted(set(heads)))
        for layer, head in checked:
            if not (0 <= layer < self.num_layers and 0 <= head < self.num_heads):
                raise SelectionError(
                    f"L{layer} H{head} was to be silenced; {self.name} has layers 0 to {self.num_layers - 1} "
                    f"and heads 0 to {self.num_heads - 1}."
                )
        return checked
