"""What the neuron view computes in the browser, against the trace; its functions are tested in tests/viz/components."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page

from encoder import Backend, Trace
from tests.browser.pages.component_page import text_of
from tests.browser.pages.neuron_page import View, layer_of
from tests.browser.pages.offline import Offline


@pytest.fixture
def host(offline: Offline) -> Page:
    return View(offline).page


@pytest.fixture(scope="module")
def trace(bundled: Backend) -> Trace:
    return bundled.trace("time flies like an arrow", "fruit flies like a banana")


@pytest.mark.parametrize(("layer", "head"), [(0, 4), (2, 11), (5, 0)])
def test_weights_are_those_of_the_trace(host: Page, trace: Trace, layer: int, head: int) -> None:
    code = """([text, index]) => {
        const head = headOf(message(text), index);
        return head.labels.map((_, query) => {
            const { scores, weights } = attend(head, query);
            return [[...scores], [...weights]];
        });
    }"""
    scores, weights = np.moveaxis(np.array(host.evaluate(code, [text_of(layer_of(trace, layer)), head])), 1, 0)
    np.testing.assert_allclose(scores, trace.scores(layer)[head], atol=1e-4)
    np.testing.assert_allclose(weights, trace.weights(layer)[head], atol=1e-5)
