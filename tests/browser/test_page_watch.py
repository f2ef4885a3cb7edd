"""The watch over the page: another version of the code on the server, and nothing that looks like one."""

from playwright.sync_api import Page

from tests.browser.pages.offline import Offline

HOST = """<!doctype html><div id="host"><span class="probe" style="color: white"></span></div>
<script type="module">
import watch from "/components/wires/page_watch/view.mjs";
const parentElement = document.getElementById("host");
window.asked = [];
const setTriggerValue = (name, value) => window.asked.push(value);
window.show = (drawn, code) => watch({ data: { drawn, code }, parentElement, setTriggerValue });
window.ready = true;
</script>"""


def opened(offline: Offline) -> Page:
    page = offline.open(HOST)
    page.wait_for_function("window.ready")
    page.evaluate("window.first = true")
    return page


def test_a_page_is_loaded_again_when_the_code_on_the_server_is_another(offline: Offline) -> None:
    page = opened(offline)
    page.evaluate("show('light', 'one')")
    with page.expect_navigation():
        page.evaluate("show('light', 'two')")
    page.wait_for_function("window.ready && !window.first")
    page.evaluate("window.first = true; show('light', 'two')")
    page.evaluate("show('light', 'two')")
    assert page.evaluate("window.first")  # the code that it has now is the server's


def test_another_theme_asks_for_one_run_and_keeps_the_page(offline: Offline) -> None:
    page = opened(offline)
    for _ in range(2):
        page.evaluate("show('dark', 'one')")
    assert page.evaluate("[window.asked, window.first]") == [["light"], True]
