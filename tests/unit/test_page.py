import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from fedbnsl.graphs.graph import Graph, WeightedGraph
from fedbnsl.plot.page import network_page

NAMES = ["a", "b", "c", "d"]
TRUTH = Graph.from_edges(NAMES, [("a", "b"), ("b", "c"), ("c", "d")])
FOUND = Graph.from_edges(NAMES, [("a", "b"), ("c", "b"), ("a", "d")])
HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    "</script x",
    "<!--<script>",
    '"><svg onload=alert(2)>',
    "a&amp;b",
    "{{title}}",
    "\u2028line\u2029",
    "'q' onmouseover='alert(3)",
    "x" * 300,
    "",
]
VOID = {"meta", "link", "input", "option"}


class Page(HTMLParser):
    """Elements with their attributes and own text; refuses unbalanced tags."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.found, self.open = [], []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        assert len({key for key, _ in attrs}) == len(attrs)
        self.found.append({"tag": tag, "text": "", **dict(attrs)})
        if tag not in VOID:
            self.open.append((tag, self.found[-1]))

    def handle_startendtag(self, tag, attrs):
        self.found.append({"tag": tag, "text": "", **dict(attrs)})

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        for _, element in self.open:
            element["text"] += data

    def all(self, tag, **attrs):
        return [e for e in self.found if e["tag"] == tag and all(e.get(k) == v for k, v in attrs.items())]

    def classed(self, tag, name):
        return [e for e in self.all(tag) if name in (e.get("class") or "").split()]


def data(page):
    return json.loads(page.all("script", id="data")[0]["text"])


def test_page_embeds_names_edges_and_their_comparison():
    html = network_page(FOUND, "Four variables", truth=TRUTH)
    page = Page(html)
    assert page.all("title")[0]["text"] == page.all("h1")[0]["text"] == "Four variables"
    embedded = data(page)
    assert embedded["names"] == NAMES
    assert [(NAMES[e["i"]], NAMES[e["j"]], e["status"]) for e in embedded["edges"]] == [
        ("a", "b", "correct"),
        ("a", "d", "extra"),
        ("c", "b", "reversed"),
        ("c", "d", "missing"),
    ]
    assert [e["aria-label"] for e in page.classed("g", "node")] == NAMES
    assert len(page.classed("g", "edge")) == 4
    assert len(page.classed("path", "head")) == 4
    legend = [e["text"] for e in page.classed("li", "status")]
    assert legend == ["correct (1)", "reversed (1)", "extra (1)", "missing (1)"]
    rows = [e["text"] for e in page.all("tr") if "data-e" in e]
    assert rows == ["a→bcorrect", "a→dextra", "c→breversed", "c→dmissing"]
    assert page.all("input", id="compare")


def test_page_without_truth_or_numbers_has_no_control_for_them():
    page = Page(network_page(TRUTH.cpdag(), "CPDAG"))
    assert not page.all("input", id="compare")
    assert not page.all("input", id="numbers")
    assert not page.all("input", type="range")
    assert not page.classed("path", "head")  # all undirected
    assert [e["text"] for e in page.all("tr") if "data-e" in e] == ["a—b", "b—c", "c—d"]
    assert {e["status"] for e in data(page)["edges"]} == {None}


def test_weights_support_and_facts_are_shown_and_kept_exact():
    weights = np.zeros((4, 4))
    weights[0, 1], weights[1, 2] = 0.1 + 0.2, -1.5
    support = (weights != 0) * 0.625
    html = network_page(
        WeightedGraph(NAMES, weights), "W", support=support, facts={"method": "fed-bnsl", "sites": 8}
    )
    page = Page(html)
    assert [(e["weight"], e["support"]) for e in data(page)["edges"]] == [(0.1 + 0.2, 0.625), (-1.5, 0.625)]
    sliders = page.all("input", type="range")
    assert [(s["data-field"], float(s["max"])) for s in sliders] == [("weight", 1.5), ("support", 0.625)]
    cells = [e["data-n"] for e in page.all("td") if "data-n" in e]
    assert cells == ["0.30000000000000004", "0.625", "-1.5", "0.625"]
    positive, negative = page.classed("g", "edge")
    assert "pos" in positive["class"]
    assert "neg" in negative["class"]
    thin, thick = (float(e["stroke-width"]) for e in page.classed("path", "wire"))
    assert thick > 2 * thin
    facts = [e["text"] for e in page.all("tr") if "data-e" not in e]
    assert facts[:2] == ["methodfed-bnsl", "sites8"]


def test_page_asks_the_network_for_nothing():
    html = network_page(FOUND, "T", truth=TRUTH, support=FOUND.adjacency * 0.5)
    assert re.findall(r"https?://[^\"' ]+", html) == ["http://www.w3.org/2000/svg"]
    page = Page(html)
    for element in page.found:
        for key in ("src", "href", "xlink:href", "action", "data", "poster", "srcset"):
            assert element.get(key, "data:,") in ("data:,", "#side")
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|import\(|WebSocket|sendBeacon", html)
    policy = page.all("meta", **{"http-equiv": "Content-Security-Policy"})[0]["content"]
    assert policy.startswith("default-src 'none'")
    assert "{{" not in html


def test_hostile_names_stay_text():
    d = len(HOSTILE)
    graph = Graph(HOSTILE, np.triu(np.ones((d, d)), 1))
    truth = Graph(HOSTILE, np.tril(np.ones((d, d)), -1))
    facts = {"<b>k</b>": "</table><script>alert(4)</script>"}
    page = Page(network_page(graph, "</title><script>alert(5)</script>", truth=truth, facts=facts))
    assert data(page)["names"] == HOSTILE
    assert not set("<>&") & set(page.all("script", id="data")[0]["text"])  # nothing a parser could act on
    assert [e["aria-label"] for e in page.classed("g", "node")] == HOSTILE
    assert [e["value"] for e in page.all("option")] == HOSTILE
    assert len(page.all("script")) == 2  # the data and the page's own
    assert not page.all("img")
    assert not page.all("b")
    assert not [key for e in page.found for key in e if key.startswith("on")]
    assert page.all("h1")[0]["text"] == "</title><script>alert(5)</script>"
    assert page.all("td")[0]["text"] == "</table><script>alert(4)</script>"


def test_page_is_written_whole_and_is_what_is_returned(tmp_path):
    path = tmp_path / "deep" / "page.html"
    html = network_page(FOUND, "Größe", path=path)
    assert path.read_bytes() == html.encode()
    assert [p.name for p in path.parent.iterdir()] == ["page.html"]


def test_page_can_be_used_without_a_mouse():
    page = Page(network_page(FOUND, "T", truth=TRUTH))
    assert page.all("html")[0]["lang"] == "en"
    assert page.all("svg", id="net")[0]["aria-label"] == "Network of 4 variables and 3 edges"
    for node in page.classed("g", "node"):
        assert (node["tabindex"], node["role"]) == ("0", "button")
    for button in page.all("button"):
        assert button["text"].strip() or button.get("aria-label")
    labels = page.all("label")
    assert len(labels) == len(page.all("input"))
    assert all(label["text"].strip() for label in labels)


@pytest.mark.parametrize("names", [[], ["only"]])
def test_page_of_a_network_without_edges(names):
    page = Page(network_page(Graph(names, np.zeros((len(names), len(names)))), "empty"))
    assert data(page) == {"names": names, "edges": []}


def test_page_of_a_large_network_holds_all_of_it():
    d = 724
    r = np.random.default_rng(0)
    a = np.zeros((d, d), dtype=int)
    for child in range(1, d):
        a[r.integers(max(0, child - 40), child), child] = 1
    graph = Graph([f"N{k}" for k in range(d)], a)
    page = Page(network_page(graph, "large"))
    assert len(page.classed("g", "node")) == d
    assert len(page.classed("g", "edge")) == graph.n_edges == d - 1
