"""Expressions of a folder's tokenizer that may search for minutes, and those of well-known tokenizers."""

import pytest

from encoder.text.tokenizer_file import is_plain

KNOWN = (
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",  # GPT-2
    r"(?i:'s|'t|'re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",  # Llama 3
    r" ?[^(\s|[.,!?…])]+",  # BLOOM
    r"[!\"#'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+",  # DeepSeek
    r"\p{N}| {2,}|[^\r\n]|\n",
)
SLOW = (
    *(r"(a|a)*b", r"(x+x+)+y", r"(?:a|b|ab)*c", r"(.*)*=\1", r"^[a-z]+.+[A-Z]$", r"(?=(a|aa)+$)", r"(?<=a+)b"),
    *(r"(?>a*)b", r"\p{L}+\s", r"a*a", r"\s*[\r\n]+", r"a+(?!\S)", r"[a-z]+[a-z0-9]*_", r"a+?b", r"a++b", r"\bx+\b"),
    9 * "a?" + 9 * "a",
)


@pytest.mark.parametrize("expression", KNOWN)
def test_the_expressions_of_known_tokenizers_are_plain(expression: str) -> None:
    assert is_plain(expression)


@pytest.mark.parametrize("expression", SLOW)
def test_an_expression_that_may_go_back_is_not_plain(expression: str) -> None:
    assert not is_plain(expression)
