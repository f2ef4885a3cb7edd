"""Numbers in the page's sentences, tables and figures, written as the axes of figures write them."""


def written(value: float, number_format: str) -> str:
    """The number with a minus sign (U+2212), which Plotly's axes have as well, in place of a hyphen.

    What rounds to zero has no sign, because the sign would tell of digits that are not shown. Files, addresses and
    what is read again keep the hyphen: they do without this function.
    """
    text = format(value, number_format)
    if not text.strip("+-.0"):
        return text.lstrip("+-")
    return text.replace("-", "\u2212")
