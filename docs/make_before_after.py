"""Take pictures of all pages before and after a change.

Run ``python -m docs.make_before_after COMMIT``. Both versions show the same models of the built-in
corpus, which the older version fits. The older version runs from a git worktree of COMMIT, with the
packages of this environment. The pictures, and a page that shows them side by side, are written to
docs/_build/before-after, or to the folder that is the second argument.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "_build" / "before-after"
DESK, PHONE = {"width": 1280, "height": 860}, {"width": 360, "height": 740}
READY = 1500  # milliseconds until charts and maps are drawn
N_FILES = 1000  # documents of the pages that commands write
STYLE = """
figure { display: grid; grid-template-columns: 1fr 1fr; gap: .6rem; margin: 0 0 2.5rem; }
figure img { width: 100%; border: 1px solid var(--line); }
figcaption { grid-column: 1 / -1; font-weight: 600; }
"""


class Shot(NamedTuple):
    """A picture of a view of the explorer, or of a file that a command wrote."""

    name: str
    about: str
    address: str  # path of the explorer, or name of a file
    older: str | None = None  # path in the older version, if it differs
    hover: str | None = None  # elements of which the second is under the pointer
    phone: bool = False
    dark: bool = False


TOPIC, DOCUMENT, SEARCH = "/topics/4", "/documents/3000", "/search?q=sparse+matrix"
SHOTS = (
    Shot("overview", "The overview, a topic under the pointer", "/", hover=".topic-row, .topic"),
    Shot("overview-phone", "The overview on a phone", "/", phone=True),
    Shot("overview-dark", "The overview in the dark theme", "/", dark=True),
    Shot("topic", "A topic", TOPIC),
    Shot("topic-phone", "A topic on a phone", TOPIC, phone=True),
    Shot("documents", "The list of documents", "/documents"),
    Shot("document", "A document", DOCUMENT),
    Shot("map", "The map of documents (before: the charts)", "/map", older="/pictures"),
    Shot("word", "A word", "/words/matrix"),
    Shot("search", "Search results", SEARCH),
    Shot("search-phone", "Search results on a phone", SEARCH, phone=True),
    Shot("charts", "The charts", "/pictures"),
    Shot("compare", "Two models in the explorer", "/compare"),
    Shot("comparison", "The page of laconic compare", "compare.html"),
    Shot("comparison-dark", "The page of laconic compare, dark", "compare.html", dark=True),
    Shot("comparison-phone", "The page of laconic compare on a phone", "compare.html", phone=True),
    Shot("tuning", "The page of laconic tune", "tune.html"),
    Shot("keywords", "The page of laconic keywords", "keywords.html"),
    Shot("report", "The report", "report.html"),
)  # fmt: skip
COMMANDS = (
    "compare docs.jsonl --text text --label label --models sc,plsa,nmf -k 10,20 -o compare.html",
    "tune docs.jsonl --text text -m sc -k 5,10,20,40 -o tune.html",
    "keywords docs.jsonl --text text --title title -o keywords.html",
    "report docs.model -o report.html",
)  # fmt: skip


def main() -> None:
    commit, folder = sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        tree = Path(made) / "older"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "-q", "--detach", tree, commit], check=True)
        try:
            run(tree, "fit", made)
            run(tree, "shoot", made, folder.resolve(), "before")
            run(ROOT, "shoot", made, folder.resolve(), "after")
        finally:
            subprocess.run([*git, "remove", "--force", tree], check=True)
    (folder / "index.html").write_text(index_page(commit), encoding="utf-8")
    sys.stdout.write(f"Wrote {folder / 'index.html'}\n")


def run(version: Path, function: str, folder: str, *arguments: Any) -> None:
    """Run a function of this module in a process that imports laconic from `version`."""
    code = f"import sys; from docs.make_before_after import {function} as f; f(*sys.argv[1:])"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([f"{version}/src", str(ROOT)])}
    command = [sys.executable, "-c", code, folder, *map(str, arguments)]
    subprocess.run(command, env=environment, cwd=folder, check=True)


def fit(made: str) -> None:
    """Save the models and the documents that both versions show."""
    import laconic

    folder = Path(made)
    corpus = laconic.datasets.load_pydocs()
    for name, model in {
        "docs": laconic.pipeline("sc", n_components=40),
        "other": laconic.pipeline("plsa", n_components=20),
    }.items():
        model.fit(corpus)
        laconic.save(model, folder / f"{name}.model", index=laconic.search(model, corpus))
    rows = range(0, len(corpus), len(corpus) // N_FILES)
    with (folder / "docs.jsonl").open("w", encoding="utf-8") as file:
        for row in rows:
            document = {
                "text": corpus.texts[row],
                "title": corpus.titles[row],
                "label": corpus.labels[row],
            }
            file.write(json.dumps(document) + "\n")


def shoot(made: str, folder: str, side: str) -> None:
    """Take the pictures of the version of laconic that this process has imported."""
    from playwright.sync_api import expect, sync_playwright

    from laconic.web.page_data import PageData
    from laconic.web.server.serving import Server
    from tests.browser.finding import FLAGS, NO_BROWSER, find_browser

    browser_path = find_browser()
    if browser_path is None:
        raise SystemExit(NO_BROWSER)
    for command in COMMANDS:
        code = "from laconic.cli.main import main; main()"
        subprocess.run(
            [sys.executable, "-c", code, *command.split(), "--force"], cwd=made, check=True
        )
    server = Server(
        PageData.open(Path(made) / "docs.model", other=Path(made) / "other.model"), port=0
    )
    url = server.start().rstrip("/")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path, args=FLAGS)
        for shot in SHOTS:
            page = browser.new_page(
                viewport=PHONE if shot.phone else DESK,
                color_scheme="dark" if shot.dark else "light",
                is_mobile=shot.phone,
                has_touch=shot.phone,
                device_scale_factor=2 if shot.phone else 1,
            )
            address = shot.older if side == "before" and shot.older else shot.address
            is_file = not address.startswith("/")
            page.goto((Path(made) / address).as_uri() if is_file else url + address)
            if not is_file:
                expect(page.locator("[aria-busy=true]")).to_have_count(0, timeout=60_000)
            page.wait_for_timeout(READY)
            if shot.hover:
                page.locator(shot.hover).nth(1).hover()
                page.wait_for_timeout(READY)
            page.screenshot(path=Path(folder) / f"{shot.name}-{side}.png")
            page.close()
        browser.close()
    server.stop()


def index_page(commit: str) -> str:
    from laconic.identity.document import document

    pairs = "".join(
        f"<figure><figcaption>{escape(shot.about)}</figcaption>"
        f'<img src="{shot.name}-before.png" alt="before">'
        f'<img src="{shot.name}-after.png" alt="after"></figure>'
        for shot in SHOTS
    )
    body = (
        f"<header><h1>Before and after</h1><p>Left: commit {escape(commit)}. Right: the current "
        f"version. Both show the same models.</p></header><main>{pairs}</main>"
    )
    # the pictures are files beside the page
    page = document("Before and after", body, style=STYLE)
    return page.replace("default-src 'none';", "default-src 'none'; img-src 'self' file:;", 1)


if __name__ == "__main__":
    main()
