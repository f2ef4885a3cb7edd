"""Expressions of a folder's tokenizer that would search for ever, and those of well-known tokenizers."""

import pytest

from encoder.text.tokenizer_file import repeats_repetitions

KNOWN = (
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",  # GPT-2
    r"(?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",  # Llama 3
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{M}]*[\p{Ll}\p{M}]+(?i:'s|'t)?| ?[^\s\p{L}\p{N}]+[\r\n/]*",  # GPT-4o
    r" ?[^(\s|[.,!?…])]+",  # BLOOM
    r"[!\"#'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+",  # DeepSeek
    r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))",
    r"(a+)b+|(?:a+)?|[)+]+|\(a+\)+|(ab)+|(?=(\d{3})+(?!\d))",
)


@pytest.mark.parametrize("expression", KNOWN)
def test_the_expressions_of_known_tokenizers_run(expression: str) -> None:
    assert not repeats_repetitions(expression)


@pytest.mark.parametrize(
    "expression", ["(x+x+)+y", "(a*)*", "^(([a-z])+.)+[A-Z]", "(.*)*!", "((a{1,})b)*", "(?:a+|b)+", "([^a]+[)]*)+"]
)
def test_a_repetition_of_repetitions_is_found(expression: str) -> None:
    assert repeats_repetitions(expression)
