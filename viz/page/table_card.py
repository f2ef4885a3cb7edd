"""What was read of a user's table, before a model runs over it: rows, columns, labels, and whatever is in doubt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import streamlit as st

from encoder import Backend
from encoder.collection.label_columns import few_valued
from encoder.collection.row_labels import NO_LABEL, classes_of, entries, label_rule, proposed_classes, rule_in_words
from encoder.collection.table import Collection, HowRead, ReadTable, guessed, quoted
from encoder.errors import DataError
from viz.caches.collections import OWN_TABLE, set_own_classes, set_own_collection
from viz.caches.steps import result_of
from viz.recipes.step import Step
from viz.state import session
from viz.wording.labels import LONGEST_NAME, escape_markdown, name_label, safe_name, shorten

FAULT: Final = "own_table_fault"  # in the session: why a table was not opened
MOST_LABELS: Final = 12  # whose classes are chosen on the page
MOST_NAMED: Final = 6  # labels in a sentence
SHOWN_ROWS: Final = 5
NO_CLASS: Final = "no class"
ENCODINGS: Final = ("utf-8", "cp1252", "cp1250", "cp1251", "cp1254", "shift_jis", "gb18030", "big5", "euc_kr", "utf-16")
DELIMITERS: Final = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
Boxes = dict[str, tuple[str, str]]  # by label, the key of its box and the class that it is read as
HEADER: Final = {True: "Names of the columns", False: "A row"}


@dataclass(slots=True, kw_only=True)
class OpenedTable:
    """A table that a user opened.

    Attributes:
        again: reads the file again as the user says; None once the rows were run.
        is_confirmed: whether the user has seen what was read.
        has_asked: whether the user was asked which class each label stands for.
    """

    name: str
    read: ReadTable
    again: Callable[[HowRead], ReadTable] | None
    is_confirmed: bool = False
    has_asked: bool = False


def show_card(model_name: str, collection: Collection, *, compares: bool) -> bool:
    """What was read, and what can be changed. Returns whether a model may run over the rows.

    Args:
        compares: whether the view compares labels with what the model says.
    """
    opened: OpenedTable | None = st.session_state.get(OWN_TABLE)
    if opened is None:
        return True
    names, several = result_of(Step(_classes_of_model, table=collection), model_name) if compares else ((), False)
    rule = label_rule(collection.distinct_labels(), names, several=several)
    own = collection.own_labels if names else []
    unfit = [label for label in own if rule == "names" and classes_of(label, names, rule) is None]
    asks = bool(own) and (rule in ("numbers", "refused") or bool(unfit))
    runs = opened.is_confirmed and (opened.has_asked or not asks)
    title = f"What was read: {len(collection):,} rows of {opened.name}"
    with st.expander(escape_markdown(title), expanded=not runs, key=f"table_card_{runs}"):
        st.markdown(_in_words(opened, collection))
        _choose_how(opened)
        remarks = [*collection.remarks, *_remarks(collection)]
        if own and (said := rule_in_words(rule, collection.distinct_labels(), names)):
            remarks.append(said)
        if unfit:
            listed = quoted([shorten(label, LONGEST_NAME) for label in unfit], MOST_NAMED)
            remarks.append(f"Labels that are no class of the model, and are not compared: {listed}.")
        if remarks:
            st.markdown("\n".join(f"- {escape_markdown(remark)}" for remark in remarks))
        if names and (asks or collection.label is None):
            _offer_labels(opened, collection, names)
        is_open = rule != "names" or bool(unfit) or bool(collection.label_classes)
        boxes = _choose_classes(collection, names, rule, id(opened)) if own and is_open else None
        if not runs or boxes:
            st.button(
                "Use these classes" if runs else "Run over these rows",
                key="confirm_table",
                type="primary",
                on_click=_confirm,
                args=(opened, collection, boxes, asks),
            )
        _show_rows(collection, names, rule if names else None)
    return runs


def _offer_labels(opened: OpenedTable, collection: Collection, names: tuple[str, ...]) -> None:
    """Buttons for other columns whose values are the model's classes, or begin as they do."""
    roles = (collection.text, collection.text_b, collection.label)
    for column in few_valued(collection.table, [name for name in collection.columns if name not in roles]):
        own = replace(collection, label=column).own_labels
        if NO_LABEL not in proposed_classes(own, names).values():
            label = f"Compare with “{safe_name(column)}”"
            if st.button(label, key=f"take_label_{column}", help="Its values are the classes of the model."):
                read, text, text_b = opened.read, collection.text, collection.text_b
                set_own_collection(
                    Collection.of(opened.name, read.table, text=text, text_b=text_b, label=column, remarks=read.remarks)
                )
                st.rerun()  # also the box of the label, above


def _classes_of_model(model: Backend) -> tuple[tuple[str, ...], bool]:
    """The classes or labels of a head over whole texts, and whether several may hold; none without such a head."""
    prediction = next(iter(model.readings(["a"]))).prediction
    if prediction is None or prediction.probabilities is None:
        return (), False
    return prediction.labels, not prediction.is_choice


def _in_words(opened: OpenedTable, collection: Collection) -> str:
    how, read = opened.read.how, opened.read
    parts = [f"**{read.table.num_rows:,} rows** of {read.kind}"]
    if how.encoding:
        parts.append(_encoding(how.encoding))
    if how.delimiter:
        parts.append(f"cells with a {DELIMITERS.get(how.delimiter, how.delimiter)} between")
    if how.header is False:
        parts.append("no header")
    columns = (("text", collection.text), ("second text", collection.text_b), ("label", collection.label))
    roles = [f"{role}: **{safe_name(name)}**" for role, name in columns if name]
    return f"{', '.join(parts)} · {' · '.join(roles)}"


def _remarks(collection: Collection) -> list[str]:
    """What is blank."""
    found = []
    if collection.num_blank:
        found.append(f"Rows without a text, which are left out: {collection.num_blank:,}.")
    if collection.label is not None and (blank := sum(not label for label in collection.labels() or ())):
        found.append(f"Rows without a label, which are not compared: {blank:,}.")
    return found


def _choose_how(opened: OpenedTable) -> None:
    """Encoding, delimiter and header, of a file that has them."""
    how, again = opened.read.how, opened.again
    if again is None or how.encoding is None:
        return

    def change(field: str, key: str) -> None:
        given = {field: st.session_state[key]}
        try:
            read = again(replace(how, **given))
            set_own_collection(guessed(opened.name, read.table, remarks=read.remarks))
            opened.read = read
        except DataError as error:
            st.toast(escape_markdown(str(error)))  # the menu that shows faults is closed

    fields: list[tuple[str, str, list[Any], Callable[[Any], str]]] = [
        ("encoding", "Encoding", [*dict.fromkeys((how.encoding, *ENCODINGS))], _encoding)
    ]
    if how.delimiter:
        fields.append(("delimiter", "Between cells", [*dict.fromkeys((how.delimiter, *DELIMITERS))], _delimiter))
        fields.append(("header", "The first line", [how.header, not how.header], HEADER.__getitem__))
    with st.container(horizontal=True, gap="small"):
        for field, title, options, format_func in fields:
            key = f"read_{field}"
            session.set_value(key, getattr(how, field))
            st.selectbox(
                title, options, key=key, format_func=format_func, on_change=change, args=(field, key), width=190
            )


def _encoding(encoding: str) -> str:
    return encoding.replace("cp", "Windows-") if encoding.startswith("cp") else encoding.upper().replace("_", "-")


def _delimiter(delimiter: str) -> str:
    return DELIMITERS.get(delimiter, delimiter)


def _show_rows(collection: Collection, names: tuple[str, ...], rule: Any) -> None:
    """The first rows as a model reads them."""
    rows = range(min(SHOWN_ROWS, len(collection)))
    columns = {name: collection.column(name, rows) for name in (collection.text, collection.text_b) if name}
    labels = collection.labels(rows)
    if collection.label is not None and labels is not None:
        columns[collection.label] = collection.column(collection.label, rows)
        if rule is not None:
            columns["class"] = [_class_in_words(label, names, rule) for label in labels]
    numbers = (collection.numbers(rows) + 1).tolist()
    settings: dict[str, Any] = {"row": st.column_config.NumberColumn(format="%d", width=60)}
    settings |= {
        name: st.column_config.TextColumn(width="small") for name in columns if name in (collection.label, "class")
    }
    st.dataframe({"row": numbers, **columns}, hide_index=True, key="read_rows", width="stretch", column_config=settings)


def _class_in_words(label: str, names: tuple[str, ...], rule: Any) -> str:
    found = classes_of(label, names, rule) if label else None
    return ", ".join(names[index] for index in found) if found else "–"


def _choose_classes(collection: Collection, names: tuple[str, ...], rule: Any, number: int) -> Boxes | None:
    """A box for the class of each label; None where there are too many labels, or they are vectors."""
    by_entry = Counter(entry for cell in collection.column(collection.label or "") for entry in entries(cell))
    proposed = proposed_classes(collection.own_labels, names)
    if len(proposed) > MOST_LABELS or rule == "vectors":
        return None
    st.markdown("**Your label → the model's class**")
    boxes: Boxes = {}
    with st.container(horizontal=True, gap="small"):
        for entry, first in proposed.items():
            now = classes_of(collection.label_classes.get(entry, entry), names, rule)
            place = now[0] if now else first
            shown = name_label(entry)
            boxes[entry] = f"class_of_{entry}_{number}", names[now[0]] if now else NO_CLASS
            st.selectbox(
                f"{escape_markdown(shown)} ({by_entry[entry]:,})",
                [NO_CLASS, *names],
                index=0 if place == NO_LABEL else place + 1,
                key=boxes[entry][0],
                width=150,
            )
    return boxes


def _confirm(opened: OpenedTable, collection: Collection, boxes: Boxes | None, asks: bool) -> None:
    opened.is_confirmed, opened.again, opened.has_asked = True, None, opened.has_asked or asks
    chosen = {entry: st.session_state[key] for entry, (key, _) in (boxes or {}).items()}
    if chosen != {entry: read for entry, (_, read) in (boxes or {}).items()}:
        set_own_classes(
            collection.with_classes({entry: None if name == NO_CLASS else name for entry, name in chosen.items()})
        )
