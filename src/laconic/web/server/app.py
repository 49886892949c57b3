"""The server of the explorer: addresses, what each of them asks for, and how it may fail.

Every address under ``/api/`` is one view: a function of the material and of parameters that are
checked here. All other addresses give the same page, which asks for its data itself.

======  =======================================================================
400     a parameter or a body that makes no sense
403     a change that is not allowed, or another page that asks
404     no such address, topic, document, word or chart
405     another method than the address takes
413     a body that is too large
415     a body that is not JSON
421     another name than that of this server
500     a mistake of the server's; the log has it
======  =======================================================================
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from laconic.errors import LaconicError
from laconic.plots import CHARTS
from laconic.plots.labels import HELVETICA
from laconic.web import views
from laconic.web.page_data import PageData
from laconic.web.server.requests import BodyError, read_object, read_query, shown
from laconic.web.server.responses import (
    JSON,
    Answer,
    Answers,
    json_bytes,
    make_answer,
    refusal,
    reply,
)
from laconic.web.server.routes import (
    CHART,
    FIRST,
    LETTER_WIDTHS,
    NOTES,
    PAGE_ADDRESSES,
    QUESTIONS,
    TOPIC,
    PathKinds,
    Question,
)
from laconic.web.server.security import Guard, why_not_written
from laconic.web.server.static_files import PROGRAM, Files
from laconic.web.server.workers import Workers

logger = logging.getLogger(__name__)

MAP = "map"
MAP_WIDTH = 660  # dots of the map on the first page, in a window of 1280


class Desk:
    """Answers the requests: the material, and the answers and files made of it so far."""

    def __init__(self, material: PageData, prepared: Callable[[], None] | None = None) -> None:
        self.material = material
        self.prepared = prepared
        self.edition = material.edition
        self.answers = Answers()
        self.files = Files()
        self.writer = Workers(1)

    def routes(self) -> list[Route]:
        """All addresses."""
        return [
            *(Route(path, self._asked(question)) for path, question in QUESTIONS.items()),
            Route(NOTES, self.change, methods=["PUT"]),
            Route("/vega.js", self.vega),
            Route("/static/{name:path}", self.static),
            *(Route(path, self._page(kinds)) for path, kinds in PAGE_ADDRESSES.items()),
        ]

    @asynccontextmanager
    async def open(self, app: Starlette) -> AsyncIterator[None]:
        """From the start of the server to its end."""
        PROGRAM.start()
        ahead = asyncio.create_task(self._prepare())
        yield
        ahead.cancel()
        self.answers.close()
        self.writer.finish()  # a note that was begun is not lost
        self.writer = Workers(1)

    async def _prepare(self) -> None:
        """Make what would keep the first visitor waiting: the first page before all else."""
        try:
            first = await self._answer(QUESTIONS[FIRST], [], {})
            await self.answers.run(self.material.warm, slow=True)
            charts = [chart["name"] for chart in json.loads(first.body)["charts"]]
            await self._answer(QUESTIONS[LETTER_WIDTHS], [], {})
            if MAP in charts:
                options = {"width": MAP_WIDTH, "letters": HELVETICA}
                await self._answer(QUESTIONS[CHART], [MAP], options)
            for name in charts:
                fitted = "letters" in CHARTS[name].takes
                options = {"letters": HELVETICA} if fitted else {}
                await self._answer(QUESTIONS[CHART], [name], options)
            if self.prepared is not None:
                self.prepared()
        except Exception as error:  # whoever asks for it is told
            logger.info("the explorer could not be prepared: %s", error)

    def _asked(self, question: Question) -> Callable[[Request], Awaitable[Response]]:
        async def ask(request: Request) -> Response:
            values = path_values(request, question.path)
            options = dict(question.defaults)
            options |= read_query(request.scope["query_string"], question.query)
            for name in question.needs:
                if name not in options:
                    raise LaconicError(f"The parameter {name} is missing.")
            answer = await self._answer(question, values, options)
            return reply(request, answer, question.headers)

        return ask

    async def _answer(
        self, question: Question, values: list[Any], options: Mapping[str, Any]
    ) -> Answer:
        self.material.follow_notes()
        if self.material.edition != self.edition:
            self.edition = self.material.edition
            self.answers.forget()
        make = partial(_made, question.view, self.material, *values, **options)
        key = (question.view, *values, *sorted(options.items()))
        return await self.answers.get(key, make, slow=question.slow)

    async def change(self, request: Request) -> Response:
        """Write a note on a topic."""
        refused = why_not_written(request)
        if refused is not None:
            return refused
        if not self.material.write:
            return refusal(403, "Notes are only read here; start laconic explore with --write.")
        (topic,) = path_values(request, TOPIC)
        changes = await read_object(request)
        make = partial(_made, views.set_note, self.material, topic, changes)
        try:
            answer = await asyncio.wrap_future(self.writer.submit(make))
        finally:
            self.answers.forget()
        return Response(answer.body, headers={"Cache-Control": "no-store"}, media_type=JSON)

    async def vega(self, request: Request) -> Response:
        """The drawing program."""
        return reply(request, await self.answers.get("vega.js", PROGRAM.get))

    async def static(self, request: Request) -> Response:
        """A file of the page."""
        return self._file(request, request.path_params["name"])

    def _page(self, kinds: PathKinds) -> Callable[[Request], Awaitable[Response]]:
        async def page(request: Request) -> Response:
            path_values(request, kinds)
            return self._file(request, "index.html")

        return page

    def _file(self, request: Request, name: str) -> Response:
        answer = self.files.get(name)
        if answer is None:
            raise HTTPException(404, f"There is no file {shown(name)}.")
        return reply(request, answer)

    async def explain(self, request: Request, error: Exception) -> Response:
        """The status and the sentence of an error."""
        if isinstance(error, BodyError):
            return refusal(error.status, str(error), {"Connection": "close"})
        if not isinstance(error, HTTPException):
            return refusal(404 if isinstance(error, views.Missing) else 400, str(error))
        page = self.files.get("index.html") if error.status_code == 404 else None
        if page is not None and _is_visit(request):  # the page says it, with a way home
            return Response(page.body, 404, media_type=page.media_type)
        return refusal(error.status_code, _sentence(request, error), error.headers)


def _is_visit(request: Request) -> bool:
    """Whether a person came by this address, who is not served by a line of JSON."""
    wants_page = "text/html" in request.headers.get("accept", "")
    return wants_page and not request.url.path.startswith(("/api/", "/static/"))


def path_values(request: Request, kinds: PathKinds) -> list[Any]:
    """The parts of an address that vary; one that makes no sense is an address that is not."""
    try:
        return [kind.read(name, request.path_params[name]) for name, kind in kinds]
    except LaconicError as error:
        raise HTTPException(404, str(error)) from error


def _made(view: Callable[..., dict[str, Any]], *values: Any, **options: Any) -> Answer:
    return make_answer(json_bytes(view(*values, **options)), JSON)


def _sentence(request: Request, error: HTTPException) -> str:
    if error.status_code == 405:
        allowed = ", ".join(sorted((error.headers or {}).get("Allow", "").split(", ")))
        return f"This address does not take {shown(request.method)}; it takes {allowed}."
    if error.detail == "Not Found":  # Starlette's own words for an address that is no route
        return f"There is nothing at {shown(request.url.path)}."
    return error.detail


def make_app(material: PageData, *, prepared: Callable[[], None] | None = None) -> Starlette:
    """The server of an explorer, to be run by any ASGI server.

    Parameters
    ----------
    material : PageData
        The model, its documents and whatever else the pages show.
    prepared : callable, optional
        Called once what visitors would wait for is made.

    Returns
    -------
    Starlette
        The application; it keeps answers, so make one for each material.
    """
    desk = Desk(material, prepared)
    app = Starlette(
        routes=desk.routes(),
        middleware=[Middleware(Guard)],
        exception_handlers={HTTPException: desk.explain, LaconicError: desk.explain},
        lifespan=desk.open,
    )
    app.router.redirect_slashes = False
    return app
