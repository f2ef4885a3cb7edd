"""Numbers in the page's sentences and tables, written as the axes of figures write them."""


def written(value: float, number_format: str) -> str:
    """The number with a minus sign (U+2212), which Plotly's axes have as well, in place of a hyphen.

    Files, addresses and what is read again keep the hyphen: they do without this function.
    """
    return format(value, number_format).replace("-", "\u2212")
