"""The two themes: page colours, colour scales and head colours, as plain tables.

The page colours are those of `.streamlit/config.toml`; a test compares them. The colour scales were computed
in OKLab (Ottosson, 2020) and are stored as hex stops, so nothing is computed at import:

- **sequential** runs from the page's background to one strong indigo in 16 steps of equal OKLab lightness; values
  near zero fade into the page, in both themes.
- **diverging** runs from orange over the page's background to blue, straight lines in OKLab with both ends equally
  light. Orange and blue stay apart for the common kinds of colour blindness.
- **head colours** are 20 colours from colorcet's Glasbey sets (`glasbey_category10`, `glasbey_bw`,
  `glasbey_bw_minc_20`; Glasbey et al., 2007), greedily chosen for the largest mutual CIELAB distance among those
  with a contrast of at least 3:1 against both backgrounds. The closest two of the light theme are 23 apart, of the
  dark theme 29. Twenty colours can be told apart side by side, not by name: never let colour alone carry meaning.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ThemeName = Literal["light", "dark"]
ColourScale = tuple[tuple[float, str], ...]


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of one theme, all as "#RRGGBB".

    Attributes:
        muted: secondary text, at least 4.5:1 against the background.
        head_colours: 20 categorical colours; take them modulo their number.
        class_colours: five of them for classes that are shown together, which people with any of the three common
            kinds of colour blindness can tell apart, from each other and from `muted`.
        sequential: Plotly colour scale from 0 = background to 1 = strong.
        diverging: Plotly colour scale; 0.5 = background, 0 = orange (negative), 1 = blue (positive).
    """

    name: ThemeName
    background: str
    secondary_background: str
    text: str
    muted: str
    border: str
    primary: str
    head_colours: tuple[str, ...]
    class_colours: tuple[str, ...]
    sequential: ColourScale
    diverging: ColourScale

    def sentence(self, letter: str) -> str:
        """The colour of sentence "A" or "B"."""
        return self.diverging[-1 if letter == "A" else 0][1]


def _scale(stops: str) -> ColourScale:
    """Space-separated hex stops as an evenly spaced Plotly colour scale."""
    colours = stops.split()
    return tuple((i / (len(colours) - 1), colour) for i, colour in enumerate(colours))


_LIGHT = Theme(
    name="light",
    background="#FFFFFF",
    secondary_background="#EDEFF5",
    text="#16181D",
    muted="#5A6072",
    border="#D5D9E3",
    primary="#3B4CCA",
    head_colours=(
        *("#724BCC", "#018700", "#AA1500", "#0A8995", "#CA6B93", "#82691C", "#018CF0", "#4B3A77", "#EB0077", "#00643B"),
        *("#853A31", "#870062", "#D86600", "#C35DBA", "#CD2846", "#628023", "#707CB8", "#0054C1", "#89013D", "#7E0087"),
    ),
    class_colours=("#018CF0", "#D86600", "#00643B", "#C35DBA", "#AA1500"),
    sequential=_scale(
        "#FFFFFF #EFF1FB #DEE4F6 #CED7F1 #BFC9EC #AFBCE7 #A0AFE2 #91A2DC #8394D6 "
        "#7487D1 #667ACA #596CC4 #4C5FBE #4051B7 #3542B1 #2B31AA #231DA3"
    ),
    diverging=_scale(
        "#8B440C #9B5B32 #AA724F #B9896C #C7A088 #D6B7A5 #E4CFC3 #F1E7E1 #FFFFFF "
        "#E2EAF6 #C5D5ED #A8C0E3 #8CABD9 #7096CE #5582C4 #396DB8 #1A57AD"
    ),
)

_DARK = Theme(
    name="dark",
    background="#0F1117",
    secondary_background="#1F2330",
    text="#E8EAF0",
    muted="#A3A9BA",
    border="#343A4A",
    primary="#8C9BFF",
    head_colours=(
        *("#959EFD", "#C8C300", "#D62628", "#00D4B1", "#FFBC93", "#C33489", "#018700", "#01CFFD", "#6E8956", "#CD7900"),
        *("#AA6067", "#A5E275", "#FB7CFF", "#FFBFF2", "#038287", "#1F77B3", "#7C7E00", "#9E6B3B", "#00C36B", "#A379AA"),
    ),
    class_colours=("#1F77B3", "#C8C300", "#00C36B", "#FB7CFF", "#D62628"),
    sequential=_scale(
        "#0F1117 #16192D #1E2242 #262B57 #2F346C #383E80 #424993 #4C55A6 #5761B6 "
        "#636EC6 #6F7BD4 #7C89E0 #8A97EA #99A6F3 #A8B5F9 #B9C4FD #CBD3FD"
    ),
    diverging=_scale(
        "#F9AA60 #D89458 #B7804F #986C46 #7A583D #5D4534 #41332B #272221 #0F1117 "
        "#1C242E #293847 #374D62 #45647E #547B9B #6393B9 #72ACD9 #82C6F9"
    ),
)

THEMES: Mapping[ThemeName, Theme] = {"light": _LIGHT, "dark": _DARK}


def css_variables(theme: Theme) -> str:
    """The colours that views in the browser read, as declarations of CSS, named as Streamlit names them."""
    named = {
        "st-text-color": theme.text,
        "st-background-color": theme.background,
        "st-secondary-background-color": theme.secondary_background,
        "st-border-color": theme.border,
        "st-primary-color": theme.primary,
        "muted": theme.muted,
        "sentence-a": theme.sentence("A"),
        "sentence-b": theme.sentence("B"),
    }
    return " ".join(f"--{name}: {value};" for name, value in named.items())


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours "#RRGGBB", from 1 to 21 (WCAG 2.2, relative luminance)."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def ink_on(colour: str) -> str:
    """Black or white, whichever contrasts more with a colour: at least 4.58 for any colour."""
    return max(("#000000", "#FFFFFF"), key=lambda ink: contrast(ink, colour))


def _luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
