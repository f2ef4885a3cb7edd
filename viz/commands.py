"""What the command `headlight` takes, and its help: `headlight`, and every command after it.

Nothing here imports torch, so that help and completion answer at once.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn, get_args

from encoder.arguments import from_zero, positive
from encoder.collection.names import What
from encoder.shipped.names import BUNDLED
from viz.launch import METRICS_PORT

A_NAME: Final = "a name that “headlight --model” takes"
WIDTH: Final = 100  # of a description
ENDS: Final = """\
Ctrl+C ends it. `streamlit run app.py` starts the same page; `python -m viz.desktop` gives it a window of its own.
Completion in bash and zsh: pip install argcomplete, then: eval "$(register-python-argcomplete headlight)"
"""


class Parser(argparse.ArgumentParser):
    """A parser that refuses in one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message.removesuffix('.')}. “{self.prog} --help” lists all options.\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command, and what its help says.

    Attributes:
        summary: a line in the list of commands.
        more: what else its own help says.
        examples: commands, each with what it does.
        add_options: adds its options to its parser.
    """

    summary: str
    more: str = ""
    examples: Mapping[str, str]
    add_options: Callable[[argparse.ArgumentParser], None]


def parser(given: Sequence[str]) -> argparse.ArgumentParser:
    """The options of `headlight`, and those of the command that is given, if one is."""
    examples = PAGE_EXAMPLES | {line: what for command in COMMANDS.values() for line, what in command.examples.items()}
    options = Parser(
        prog="headlight",
        description="See what a Transformer encoder attends to: start Headlight on this computer and open its page.",
        epilog=f"{_listed(examples)}\n\n{ENDS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_page(options)
    commands = options.add_subparsers(title="commands, each with --help", metavar="COMMAND", dest="command")
    for name, command in COMMANDS.items():
        of_command = commands.add_parser(
            name,
            help=command.summary,
            description=textwrap.fill(f"{command.summary[0].upper()}{command.summary[1:]}. {command.more}", WIDTH),
            epilog=_listed(command.examples),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if name in given[:1]:
            command.add_options(of_command)
    return options


def _listed(examples: Mapping[str, str]) -> str:
    lines = [f"  {line}" + (f"\n      {what}" if what else "") for line, what in examples.items()]
    return "\n".join(["examples:", *lines])


def _add_page(options: argparse.ArgumentParser) -> None:
    options.add_argument("--a", metavar="TEXT", help="sentence A (default: an example)")
    options.add_argument("--b", metavar="TEXT", help="sentence B (default: the example's, or none with --a)")
    options.add_argument(
        "--model",
        metavar="NAME",
        help="bundled (default), bundled-sentiment, bert-base-uncased, scratch, scratch-bert, scratch-untrained, the "
        "folder of a model, or an id of the hub; the page asks before it downloads one or reads a folder",
    )
    options.add_argument("--tour", metavar="NAME", help="the tour to begin with")
    options.add_argument("--no-browser", action="store_true", help="say where the page is, and open no browser")
    server = options.add_argument_group("the server")
    server.add_argument("--host", metavar="ADDRESS", help="127.0.0.1 (default) for this computer, 0.0.0.0 for others")
    server.add_argument("--port", type=int, metavar="N", help="(default: 8501, or another if it is taken)")
    server.add_argument("--base-path", metavar="PATH", help="below which the page is, as in tools/headlight")
    server.add_argument(
        "--models",
        metavar="FOLDER",
        help="a folder of model folders, which visitors may open by name; nothing else but the models that ship",
    )
    server.add_argument("--password-file", metavar="FILE", help="a file with a password that visitors are asked for")
    server.add_argument("--frames", metavar="SITES", help="other sites that may show the page in a frame")
    server.add_argument("--atlas", metavar="FOLDER", help="atlases of your models (default: HEADLIGHT_ATLAS)")
    server.add_argument(
        "--device", metavar="NAME", help="cpu, cuda, cuda:1 or mps (default: HEADLIGHT_DEVICE, else a GPU)"
    )
    server.add_argument(
        "--metrics",
        nargs="?",
        const=METRICS_PORT,
        metavar="[ADDRESS:]PORT",
        help="serve metrics for Prometheus, /health and /ready, and log each event "
        "(without a port: 127.0.0.1:%(const)s)",
    )


def add_check(options: argparse.ArgumentParser) -> None:
    """The options of `check`."""
    options.add_argument(
        "files", nargs="*", type=Path, metavar="TOUR", help="a tour's file, a folder of them, or the name of one"
    )
    options.add_argument(
        "--model", metavar="NAME", help="an encoder for all stops; without a tour, its own checks are printed"
    )
    options.add_argument("--json", action="store_true", help="without a tour: the checks of the model as JSON")
    options.add_argument(
        "--writer", metavar="NAME", help="an encoder-decoder for all stops, instead of those that they name"
    )


def _add_atlas(options: argparse.ArgumentParser) -> None:
    options.add_argument("model", metavar="MODEL", help=f"a model's folder, or {A_NAME}")
    options.add_argument(
        "corpus",
        nargs="+",
        type=Path,
        metavar="CORPUS",
        help=".conllu, .jsonl, .csv, .tsv, or plain text with a sentence a line; each may be gzipped",
    )
    options.add_argument("--column", metavar="NAME", help="the column of the sentences in .csv, .tsv and .jsonl files")
    options.add_argument("--out", type=Path, default=Path("atlases"), metavar="FOLDER", help="(default: %(default)s)")
    options.add_argument("--port", type=int, metavar="N", help="of the page (default: 8501, or another if it is taken)")
    options.add_argument("--no-open", action="store_true", help="build the atlas, and say how to open it")


def _add_texts(options: argparse.ArgumentParser) -> None:
    commands = options.add_subparsers(required=True, metavar="COMMAND", dest="of_texts")
    for name, (summary, add_options) in TEXTS.items():
        description = f"{summary[0].upper()}{summary[1:]}."
        add_options(commands.add_parser(name, help=summary, description=description, allow_abbrev=False))


def _add_texts_run(options: argparse.ArgumentParser) -> None:
    options.add_argument("table", type=Path, metavar="TABLE", help=".csv, .tsv, .jsonl, .parquet, or a text a line")
    options.add_argument("--model", required=True, metavar="NAME", help=A_NAME)
    options.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="of the results, in Parquet")
    options.add_argument(
        "--what", default="predictions", metavar="LIST", help=f"{', '.join(get_args(What))}, with commas between"
    )
    options.add_argument("--text", metavar="COLUMN", help="of the texts (default: guessed)")
    options.add_argument("--text-b", metavar="COLUMN", help="of second texts")
    options.add_argument("--label", metavar="COLUMN", help="of labels")
    options.add_argument(
        "--labels", metavar="LIST", help="the model's class of each label, as in 0=negative,1=positive; or numbers"
    )
    options.add_argument("--engine", choices=("local", "ray"), default="local", help="(default: %(default)s)")
    options.add_argument("--workers", type=positive, metavar="N", help="models at once (default: one for each core)")
    options.add_argument("--address", metavar="ADDRESS", help="of a running Ray cluster")
    options.add_argument("--device", metavar="NAME", help="cpu, cuda or mps (default: a GPU if there is one)")


def _add_texts_search(options: argparse.ArgumentParser) -> None:
    options.add_argument("table", metavar="TABLE", help="a file of texts, or a table that ships, such as passages")
    options.add_argument("query", nargs="?", metavar="QUERY", help="(default: those of the table with a relevant text)")
    options.add_argument("--model", required=True, metavar="NAME", help=A_NAME)
    options.add_argument("--first", type=positive, metavar="N", help="hits that are listed (default: 10)")
    options.add_argument("--why-not", type=from_zero, metavar="ROW", help="of the text that was expected, from 0")
    options.add_argument("--text", metavar="COLUMN", help="of the texts, or of queries (default: guessed)")
    options.add_argument("--text-b", metavar="COLUMN", help="of the texts, next to their queries")
    options.add_argument("--label", metavar="COLUMN", help="whose “yes” says that a text is relevant")
    options.add_argument("--json", action="store_true", help="print JSON")


def add_site(options: argparse.ArgumentParser) -> None:
    """The options of `site`."""
    building = options.add_subparsers(required=True, metavar="COMMAND", dest="of_site").add_parser(
        "build", help="write a folder that any web server can serve", allow_abbrev=False
    )
    building.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the folder to write")
    building.add_argument(
        "--model",
        default=BUNDLED,
        metavar="NAME",
        help="a model that ships, the folder of a BERT, or its id on the Hugging Face hub (default: %(default)s)",
    )
    building.add_argument("--text", metavar="A", help="sentence A that the page shows first (default: an example)")
    building.add_argument("--text-b", default="", metavar="B", help="sentence B next to it")
    building.add_argument(
        "--lessons",
        nargs="*",
        metavar="TOUR",
        help="tours that the page offers, by name or file (default: with the bundled model all that ship, else none)",
    )


def _add_tokens(options: argparse.ArgumentParser) -> None:
    options.add_argument("text", metavar="TEXT", help="sentence A")
    options.add_argument("text_b", nargs="?", metavar="TEXT_B", help="sentence B, read with A as a pair")
    options.add_argument("--model", default=BUNDLED, metavar="NAME", help=f"{A_NAME} (default: %(default)s)")
    options.add_argument("--json", action="store_true", help="print JSON")


def _add_attend(options: argparse.ArgumentParser) -> None:
    _add_tokens(options)
    options.add_argument("--layer", type=from_zero, required=True, metavar="N", help="from 0")
    options.add_argument("--head", type=from_zero, metavar="N", help="from 0 (default: the mean over heads)")


def _add_why(options: argparse.ArgumentParser) -> None:
    from encoder.attribution.questions import Method  # imports numpy

    _add_tokens(options)
    methods = get_args(Method)
    options.add_argument("--method", choices=methods, default=methods[0], help="(default: %(default)s)")
    options.add_argument("--label", metavar="CLASS", help="(default: the likeliest class)")


TEXTS: Final[Mapping[str, tuple[str, Callable[[argparse.ArgumentParser], None]]]] = {
    "run": (
        "save a model's predictions for every row of a table; an interrupted run continues",
        _add_texts_run,
    ),
    "search": (
        "the first hits of a query, and why a text is not among them; or, without a query, how often a relevant "
        "text is found, and the causes where it is not",
        _add_texts_search,
    ),
}
PAGE_EXAMPLES: Final[dict[str, str]] = {
    "headlight": "",
    'headlight --a "time flies like an arrow" --b "fruit flies like a banana"': "",
    'headlight --a "The movie was not bad." --model bundled-sentiment --port 8600': "",
    "headlight --model ./my-bert --no-browser": "",
    "headlight --host 0.0.0.0 --models ./models --password-file ./password.txt --metrics": "",
}
COMMANDS: Final[Mapping[str, Command]] = {
    "check": Command(
        summary="test a model: what is proved of it, or which claims of tours hold",
        more="The exit code is 0 if all hold, 1 if one does not, and 2 if the command or the model is faulty.",
        examples={
            "headlight check --model ./my-bert": "its attention, tokens, vectors and weights",
            "headlight check TOUR --model ./my-bert": "which claims of a tour hold, each with its number",
        },
        add_options=add_check,
    ),
    "atlas": Command(
        summary="measure what every head of a model does over a corpus, and show it on the page",
        more="The same command continues an interrupted one.",
        examples={"headlight atlas ./my-bert reviews.csv --column text": ""},
        add_options=_add_atlas,
    ),
    "texts": Command(
        summary="work with many texts at once",
        examples={
            "headlight texts run reviews.csv --model ./my-bert --out results": "its predictions for every row",
            'headlight texts search docs.csv "a query" --model ./my-bert': "the first hits",
        },
        add_options=_add_texts,
    ),
    "site": Command(
        summary="write a page whose model runs in the visitor's browser",
        examples={"headlight site build --out ./site": ""},
        add_options=add_site,
    ),
    "tokens": Command(
        summary="print how a text is read: its tokens, their ids and words",
        examples={'headlight tokens "Zürich is nice"': ""},
        add_options=_add_tokens,
    ),
    "attend": Command(
        summary="print the attention weights of a head",
        more="A text that is wider than the terminal gets the largest weight of each token; --json has all.",
        examples={'headlight attend "time flies" --layer 0 --head 4': ""},
        add_options=_add_attend,
    ),
    "why": Command(
        summary="print what each word adds to a prediction",
        examples={'headlight why "a lovely film" --model bundled-sentiment --json': ""},
        add_options=_add_why,
    ),
}
