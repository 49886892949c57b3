"""Tests of `Watch`: it notices every kind of problem on a page."""

from __future__ import annotations

import time

import pytest

from .conftest import PATIENCE
from .watching import Watch

HOME = "http://127.0.0.1:8484/"
POLICY = {"Content-Security-Policy": "script-src 'self'"}


@pytest.fixture
def meet(browser):
    """A function that runs a script in a page, without a network, and returns the `Watch`."""
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENCE)
    watch = Watch(page, HOME)

    def answer(route):
        path = route.request.url.removeprefix(HOME)
        if path == "script.js":
            route.fulfill(content_type="text/javascript", body=script)
        elif path in ("", "#"):
            body = '<!DOCTYPE html><title>x</title><link rel=icon href="data:,"><body>'
            route.fulfill(
                content_type="text/html",
                headers=POLICY,
                body=body + "<script src=script.js></script>",
            )
        elif path == "broken":
            route.abort("connectionrefused")
        else:
            route.fulfill(status=404)

    def go(code: str, quiet: bool = False) -> Watch:
        """Run `code` until it logs "all is well" (if `quiet`) or until there is a complaint."""
        nonlocal script
        script = code
        if quiet:
            with page.expect_console_message(lambda message: message.text == "all is well"):
                page.goto(HOME)
            return watch
        page.goto(HOME)
        deadline = time.monotonic() + PATIENCE / 1000
        while not watch.complaints and time.monotonic() < deadline:
            page.wait_for_timeout(20)
        return watch

    script = ""
    page.route("**/*", answer)
    yield go
    page.context.close()


def test_a_quiet_page_passes(meet):
    code = "fetch(location.href).then(() => console.log('all is well'))"
    meet(code, quiet=True).check()


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("console.error('oh')", "console error: oh"),
        ("console.warn('hm')", "console warning: hm"),
        ("throw new Error('lost')", "uncaught: lost"),
        ("Promise.reject(new Error('late'))", "uncaught: late"),
        ("alert(1)", "dialog: 1"),
        ("new Image().src = 'http://elsewhere.example/x.png'", "somewhere else: http://elsewhere"),
        ("fetch('/missing')", "status 404: http://127.0.0.1:8484/missing"),
        ("fetch('/broken').catch(() => 0)", "failed: http://127.0.0.1:8484/broken"),
        ("document.body.setAttribute('onclick', '1'); document.body.click()", "Security Policy"),
    ],
)
def test_whatever_goes_wrong_is_a_complaint(meet, code, complaint):
    watch = meet(code)
    with pytest.raises(AssertionError, match=complaint):
        watch.check()


def test_what_a_test_expects_is_no_complaint(meet):
    watch = meet("fetch('/missing')")
    watch.allow("404")
    watch.check()
