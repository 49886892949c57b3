"""Tests of `ResponseCache`: responses are computed once, within a size, until a change."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from laconic.web.server.responses import OVERHEAD, CachedResponse, ResponseCache, make_response
from tests.web.asking import PATIENCE


def text(body: str) -> Callable[[], CachedResponse]:
    return lambda: make_response(body.encode(), "text/plain")


def get(answers: ResponseCache, key: str, body: str) -> str:
    return asyncio.run(answers.get(key, text(body))).body.decode()


def test_the_oldest_answers_go_first() -> None:
    answers = ResponseCache(limit=8 * (OVERHEAD + 2))
    for number in range(8):
        get(answers, str(number), f"{number}.")
    assert get(answers, "0", "?") == "0."  # is now the most recently used
    get(answers, "8", "8.")
    assert get(answers, "0", "?") == "0."
    assert get(answers, "1", "again") == "again"
    assert answers.size <= answers.limit
    answers.close()


def test_what_is_too_large_is_not_kept() -> None:
    answers = ResponseCache(limit=8000)
    assert get(answers, "large", "x" * 1001) == "x" * 1001
    assert get(answers, "large", "y") == "y"
    answers.close()


def test_the_same_question_is_worked_on_once_at_a_time() -> None:
    answers, made, go_on = ResponseCache(), [], threading.Event()

    def slow() -> CachedResponse:
        made.append(1)
        go_on.wait(PATIENCE)
        return make_response(b"done", "text/plain")

    async def ask() -> list[CachedResponse]:
        asked = [asyncio.create_task(answers.get("key", slow)) for _ in range(20)]
        await asyncio.sleep(0.1)
        go_on.set()
        return await asyncio.gather(*asked)

    found = asyncio.run(ask())
    assert {answer.body for answer in found} == {b"done"}
    assert len(made) == 1
    answers.close()


def test_one_who_leaves_does_not_take_the_others_along() -> None:
    answers, go_on = ResponseCache(), threading.Event()

    def slow() -> CachedResponse:
        go_on.wait(PATIENCE)
        return make_response(b"done", "text/plain")

    async def ask() -> CachedResponse:
        first = asyncio.create_task(answers.get("key", slow))
        second = asyncio.create_task(answers.get("key", slow))
        await asyncio.sleep(0.05)
        first.cancel()
        await asyncio.sleep(0.05)
        go_on.set()
        return await second

    assert asyncio.run(ask()).body == b"done"
    answers.close()


def test_an_error_is_not_kept() -> None:
    answers = ResponseCache()

    def broken() -> CachedResponse:
        raise ZeroDivisionError

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            asyncio.run(answers.get("key", broken))
    assert get(answers, "key", "well") == "well"
    answers.close()


def test_slow_answers_leave_threads_to_quick_ones() -> None:
    answers, go_on = ResponseCache(workers=1), threading.Event()

    def slow() -> CachedResponse:
        go_on.wait(PATIENCE)
        return make_response(b"slow", "text/plain")

    async def ask() -> tuple[bytes, bytes]:
        waiting = [asyncio.create_task(answers.get(number, slow, slow=True)) for number in range(3)]
        await asyncio.sleep(0.05)
        quick = await asyncio.wait_for(answers.get("quick", text("quick")), PATIENCE / 2)
        go_on.set()
        return quick.body, (await waiting[0]).body

    assert asyncio.run(ask()) == (b"quick", b"slow")
    answers.close()


def test_after_closing_it_begins_anew() -> None:
    answers = ResponseCache()
    get(answers, "key", "old")
    answers.close()
    assert get(answers, "key", "new") == "new"
    answers.close()
