"""What tests read of an answer: its sentences, charts and tables."""

from viz.answers.answer import Answer, Chart, Columns, Sentence, Table


def sentences(answer: Answer) -> list[str]:
    return [part.text for part in answer.parts if isinstance(part, Sentence)]


def said(answer: Answer) -> str:
    """All sentences, one a line."""
    return "\n".join(sentences(answer))


def charts(answer: Answer) -> list[Chart]:
    """The charts that stand alone in their row."""
    return [part for part in answer.parts if isinstance(part, Chart)]


def tables(answer: Answer) -> list[Table]:
    return [part for part in answer.parts if isinstance(part, Table)]


def table(answer: Answer) -> Table:
    """The only table."""
    [found] = tables(answer)
    return found


def columns_of(answer: Answer) -> Columns:
    """Those of the only table."""
    return table(answer).columns()
