"""The report and a network's page in a real browser: complete, without complaints, without the network.

Needs Chromium; not part of a plain `python -m pytest`. Run

    python -m pytest tests/browser
"""

import html
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow"))
from checkout import smoke

# what a page may load: what is written in it
ALONE = (
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'unsafe-inline' 'unsafe-eval' data: blob:\">"
)
# advice that Snakemake's own page template prints in every report
KNOWN = ("cdn.tailwindcss.com should not be used in production",)
# every picture that the report holds, shown by the browser: its size, or 0 if it cannot be shown
PICTURES = """
<script>
const found = {};
const all = Object.entries(results).filter(([path, entry]) => entry.mime_type === "image/png");
Promise.all(all.map(([path, entry]) => new Promise(done => {
  const picture = new Image();
  picture.onload = () => { found[path] = picture.naturalWidth; done(); };
  picture.onerror = () => { found[path] = 0; done(); };
  picture.src = entry.data_uri;
}))).then(() => {
  const told = document.createElement("pre");
  told.id = "found";
  told.textContent = JSON.stringify(found);
  document.body.append(told);
});
</script>
"""


@pytest.fixture(scope="module")
def finished(request, tmp_path_factory):
    """A checkout after the smoke run."""
    return smoke(tmp_path_factory.mktemp("smoke"), request.config.getoption("--finished"))


@pytest.fixture(scope="module")
def browser():
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    assert found, "this needs Chromium, for example apt-get install chromium"
    return found


def opened(browser, text, folder):
    """The page as it is once its scripts have run, and what stands in its console."""
    page = folder / "page.html"
    page.write_text(text.replace("<head>", f"<head>{ALONE}", 1), encoding="utf-8")
    assert ALONE in page.read_text(encoding="utf-8")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += ["--enable-logging=stderr", "--log-level=0", "--virtual-time-budget=20000"]
    command += [f"--user-data-dir={folder / 'profile'}", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    console = re.findall(r":CONSOLE.*?\] \"(.*)", done.stderr)
    return done.stdout, [line for line in console if not line.startswith(KNOWN)]


def test_the_report_shows_every_figure_by_itself(browser, finished, tmp_path):
    finished.snakemake("--report", "report.html", "all", cores=1)
    text = (finished.folder / "report.html").read_text(encoding="utf-8")
    assert text.rstrip().endswith("</html>")
    start, _, end = text.rpartition("</body>")  # the last: scripts hold that word too
    page, console = opened(browser, f"{start}{PICTURES}</body>{end}", tmp_path)
    assert console == []
    found = json.loads(html.unescape(re.search(r'<pre id="found">(.*?)</pre>', page)[1]))
    studies = [
        yaml.safe_load(path.read_text()) for path in (finished.folder / "workflow/studies").glob("*.yaml")
    ]
    figures = {
        f"results/figures/{name}.png"
        for study in studies
        for name, entry in study["artefacts"].items()
        if entry.get("figure")
    }
    assert figures <= set(found)
    assert [path for path, width in found.items() if width < 200] == []
    for study in studies:  # the categories are on the page
        assert html.escape(study["title"], quote=False) in page


def test_what_is_loaded_from_outside_would_be_noticed(browser, tmp_path):
    text = (
        '<html><head></head><body><img src="https://example.org/a.png"><script>oops()</script></body></html>'
    )
    _, console = opened(browser, text, tmp_path)
    assert len(console) == 2


def test_a_network_page_shows_its_picture_by_itself(browser, finished, tmp_path):
    paths = sorted((finished.folder / "results/networks").rglob("*.html"))
    assert paths
    page, console = opened(browser, paths[0].read_text(encoding="utf-8"), tmp_path)
    assert console == []
    assert "<svg" in page
