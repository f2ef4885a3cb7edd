"""Visitors of the load test, on a small page that a real server serves."""

from collections.abc import Iterator

import pytest

from bench.load import Load
from bench.server import Server, serve
from bench.visitor import Answer, Change, pressed, triggered, typed, visit
from tests.threads import in_a_thread

PAGE = """
import streamlit as st

MAP = st.components.v2.component("map", js="export default () => {}")

text = st.text_area("Text", key="text")
if text == "fail":
    raise ValueError("a bug")
st.query_params["text"] = text
view = st.selectbox("View", ["One", "Two"], index=None, key="view")
clicked = MAP(key="map", data={"large": "x" * 20_000}, on_selection_change=lambda: None).selection
st.button("Reset", key="reset", on_click=lambda: st.session_state.update(view="One"))
st.markdown(f"{text}/{view}/{clicked}/{st.query_params.to_dict()}")

@st.fragment
def part():
    st.markdown("part: " + st.text_input("Part", key="part"))

part()
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("visited")
    (folder / "page.py").write_text(PAGE, encoding="utf-8")
    with serve(folder / "page.py", folder / "log.txt") as running:
        yield running


def visited(server: Server, *changes: Change, **address: str) -> tuple[list[Answer], set[str], list[str]]:
    """Every answer, the keys on the page, and what the page says last."""

    async def run() -> tuple[list[Answer], set[str], list[str]]:
        async with visit(server.url, **address) as visitor:
            answers = [await visitor.open(), *[await visitor.act(change) for change in changes]]
            return answers, set(visitor.widgets), visitor.texts

    return in_a_thread(run)


def test_page_is_opened_with_its_widgets(server: Server) -> None:
    answers, keys, texts = visited(server)
    assert keys == {"text", "view", "map", "reset", "part"}
    assert texts == ["/None/None/{'text': ''}", "part:"]
    assert answers[0].bytes > 20_000
    assert answers[0].errors == ()


def test_widgets_keep_what_was_chosen_and_triggers_last_one_run(server: Server) -> None:
    changes = [typed("text", "hello"), typed("view", "Two"), triggered("map", "selection", {"layer": 3})]
    assert visited(server, *changes)[2][0] == "hello/Two/{'layer': 3}/{'text': 'hello'}"
    assert visited(server, *changes, typed("text", "again"))[2][0] == "again/Two/None/{'text': 'again'}"


def test_what_the_page_changes_itself_is_not_sent_back(server: Server) -> None:
    changes = [typed("view", "Two"), pressed("reset"), typed("text", "on")]
    assert visited(server, *changes)[2][0] == "on/One/None/{'text': 'on'}"


def test_fragment_runs_alone(server: Server) -> None:
    answers, keys, texts = visited(server, typed("part", "alone"))
    assert texts == ["part: alone"]
    assert answers[1].bytes < answers[0].bytes / 5
    assert "text" in keys


def test_exceptions_of_the_page_are_errors(server: Server) -> None:
    answers, _, _ = visited(server, typed("text", "fail"), typed("text", "fine"))
    assert [len(answer.errors) for answer in answers] == [0, 1, 0]
    assert "encountered an error" in answers[1].errors[0]  # visitors learn no more


def test_widget_that_is_not_there_is_named(server: Server) -> None:
    with pytest.raises(KeyError, match="nothing"):
        visited(server, typed("nothing", "text"))


def test_load_counts_answers_and_names_what_went_wrong(server: Server) -> None:
    async def run() -> Load:
        load = Load()
        async with visit(server.url) as visitor:
            await visitor.open()
            for change in (typed("text", "fine"), typed("nothing", "text"), typed("text", "fail")):
                await load.ask(visitor, change)
        return load

    load = in_a_thread(run)
    assert len(load.seconds) == 2
    missing, failed = load.errors
    assert missing == "KeyError('nothing')"
    assert "encountered an error" in failed
