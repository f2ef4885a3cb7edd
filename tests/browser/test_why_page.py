"""“Why this prediction?” in Chromium: jobs end by themselves, and the sentence that is left opens in the heat map."""

from playwright.sync_api import expect

from tests.browser.pages.app_page import Open

# Notes at every report of a painted page whether it has the new values. The page itself does: a busy machine may hold a
# request of it for longer. For how long the server waits for a report is tested in `app/test_first_answers.py`.
NOTE_REPORTS = """() => {
    const send = window.fetch;
    window.reports = [];
    window.fetch = (address, ...rest) => {
        if (String(address).includes("/headlight/painted/"))
            reports.push(document.querySelector(".st-key-why_words .main-svg").textContent.includes("bad"));
        return send(address, ...rest);
    };
    window.stopNotingReports = () => {
        window.fetch = send;
        return reports;
    };
}"""


def test_a_table_is_drawn_when_it_is_opened_and_stays_open(visit_app: Open) -> None:
    at = visit_app(view="why", a="a good film", b="")
    fold = at.page.locator(".st-key-why_why_table_folded")
    expect(fold.get_by_text("The words as a table")).to_be_visible()
    expect(fold.get_by_test_id("stDataFrame")).to_have_count(0)
    fold.get_by_text("The words as a table").click()
    expect(fold.get_by_test_id("stDataFrame")).to_be_visible()
    at.text("A").fill("a bad film")
    at.text("A").press("Control+Enter")
    expect(at.page.locator(".st-key-why_words .main-svg").first).to_contain_text("bad")
    # Each run of the page offers the file anew, and Streamlit fails a click on the one before.
    at.selected(a="a bad film")
    expect(at.page.locator("[class*='_stop']")).to_have_count(0)
    at.idle()
    name, text = at.download(fold.get_by_test_id("stDownloadButton").get_by_role("button").click)
    assert name == "headlight-a-bad-film-why.csv"
    assert [line.split(",")[0] for line in text.splitlines()] == ["word", "0: a", "1: bad", "2: film"]
    at.assert_sound()


def test_the_browser_reports_once_that_the_values_are_there(visit_app: Open) -> None:
    at = visit_app(view="why", a="a good film", b="")
    at.page.evaluate(NOTE_REPORTS)
    at.text("A").fill("a bad film")
    at.text("A").press("Control+Enter")
    at.selected(a="a bad film")
    at.page.wait_for_function("() => reports.length")
    assert at.page.evaluate("stopNotingReports()") == [True]
    at.assert_sound()
