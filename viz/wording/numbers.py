"""Numbers in the page's sentences, tables and figures, formatted as on the axes of figures."""


def percent(share: float, digits: int = 0) -> str:
    """A share as in “93 %”."""
    return f"{written(100 * share, f'.{digits}f')} %"


def written(value: float, number_format: str) -> str:
    """The number with a minus sign (U+2212), as on Plotly's axes, instead of a hyphen.

    Numbers that round to zero have no sign, which would reveal hidden digits. Files and addresses keep the hyphen and
    do not use this function.
    """
    text = format(value, number_format)
    if not text.strip("+-.0"):
        return text.lstrip("+-")
    return text.replace("-", "\u2212")
