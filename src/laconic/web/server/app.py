"""The Starlette application of the explorer: routes, handlers and errors.

Each route under ``/api/`` calls one view, which is a function of the page data and of validated
parameters. All routes of pages return the same HTML page, which requests its data from the API.

======  =======================================================================
400     invalid parameter or body
403     changes are not allowed, or the request comes from another website
404     the requested route, topic, document, word or chart does not exist
405     method not allowed
413     the body is too large
415     the body is not JSON
421     the Host header is not a name of this server
500     internal error, see the log
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
from laconic.web.server.requests import BodyError, Choice, read_object, read_query, shown
from laconic.web.server.responses import (
    CSV,
    JSON,
    CachedResponse,
    ResponseCache,
    attachment,
    csv_bytes,
    error_response,
    json_bytes,
    make_response,
    to_response,
)
from laconic.web.server.routes import (
    ANSWERS,
    API_ROUTES,
    CHART,
    DOCUMENTS_FILE,
    DOCUMENTS_QUERY,
    EDITS,
    LETTER_WIDTHS,
    MAP,
    NOTES,
    OVERVIEW,
    PAGE_ROUTES,
    PREVIEW,
    TOPIC,
    ApiRoute,
    PathParameters,
)
from laconic.web.server.security import SecurityMiddleware, write_rejection
from laconic.web.server.static_files import PROGRAM, Files
from laconic.web.server.workers import Workers
from laconic.web.views.tables import documents_table, to_csv

logger = logging.getLogger(__name__)

MAP_WIDTH = 580  # width in pixels of the map on the start page if the window is 1280 pixels wide


class Handlers:
    """Request handlers, which share the page data, the response cache and the static files."""

    def __init__(self, page_data: PageData, prepared: Callable[[], None] | None = None) -> None:
        self.page_data = page_data
        self.prepared = prepared
        self.notes_version = page_data.notes_version
        self.version = 0  # number of edits of the topics
        self.responses = ResponseCache()
        self.files = Files()
        self.writer = Workers(1)

    def routes(self) -> list[Route]:
        """Return all routes of the application."""
        return [
            Route(DOCUMENTS_FILE, self.documents_file),
            *(Route(path, self._api_handler(route)) for path, route in API_ROUTES.items()),
            Route(NOTES, self.change_note, methods=["PUT"]),
            Route(ANSWERS, self.answer_intrusion, methods=["PUT"]),
            Route(PREVIEW, self.preview_edit, methods=["PUT"]),
            Route(EDITS, self.edit_topics, methods=["PUT"]),
            Route("/vega.js", self.vega),
            Route("/static/{name:path}", self.static),
            *(Route(path, self._page_handler(types)) for path, types in PAGE_ROUTES.items()),
        ]

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """Prepare responses at startup; stop the threads at shutdown."""
        PROGRAM.start()
        preparing = asyncio.create_task(self._prepare())
        yield
        preparing.cancel()
        self.responses.close()
        self.writer.finish()  # waits until all notes are written
        self.writer = Workers(1)

    async def _prepare(self) -> None:
        """Compute the slow responses before the first request, starting with the overview."""
        try:
            overview = await self._response(API_ROUTES[OVERVIEW], [], {})
            charts = [chart["name"] for chart in json.loads(overview.body)["charts"]]
            await self._response(API_ROUTES[LETTER_WIDTHS], [], {})
            await self._response(API_ROUTES[MAP], [], {"width": MAP_WIDTH})
            await self.responses.run(self.page_data.warm, slow=True)
            await self._response(API_ROUTES[OVERVIEW], [], {})
            for name in charts:
                takes_letters = "letters" in CHARTS[name].takes
                options = {"letters": HELVETICA} if takes_letters else {}
                await self._response(API_ROUTES[CHART], [name], options)
            if self.prepared is not None:
                self.prepared()
        except Exception as error:  # a later request for the same response reports the error
            logger.info("preparing responses failed: %s", error)

    def _api_handler(self, route: ApiRoute) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            values = path_values(request, route.path)
            options = dict(route.defaults)
            types = dict(route.query)
            if route.table is not None:
                types["format"] = Choice(("json", "csv"))
            options |= read_query(request.scope["query_string"], types)
            as_csv = options.pop("format", "json") == "csv"
            for name in route.required:
                if name not in options:
                    raise LaconicError(f"The parameter {name!r} is missing.")
            if as_csv:
                return await self._csv(request, route, values, options)
            response = await self._response(route, values, options)
            return to_response(request, response, route.headers)

        return handle

    async def _response(
        self, route: ApiRoute, values: list[Any], options: Mapping[str, Any]
    ) -> CachedResponse:
        self.page_data.follow_notes()
        if self.page_data.notes_version != self.notes_version:
            self.notes_version = self.page_data.notes_version
            self.responses.clear()
        make = partial(_json_response, route.view, self.page_data, *values, **options)
        key = (route.view, self.version, *values, *sorted(options.items()))
        if route.grows:
            key = (*key, self.page_data.is_waiting)
        return await self.responses.get(key, make, slow=route.slow)

    async def _csv(
        self, request: Request, route: ApiRoute, values: list[Any], options: Mapping[str, Any]
    ) -> Response:
        """Return the table of a view as a file."""
        assert route.table is not None
        table = route.table

        def make() -> CachedResponse:
            rows = table(route.view(self.page_data, *values, **options))
            return make_response(csv_bytes(to_csv(rows)), CSV)

        name = "-".join(part for part in request.url.path.split("/")[2:] if part.isalnum())
        response = await self.responses.run(make)
        return to_response(request, response, attachment(f"{name or 'table'}.csv"))

    async def documents_file(self, request: Request) -> Response:
        """Return the list of documents that meet some conditions as a file."""
        options = read_query(request.scope["query_string"], DOCUMENTS_QUERY)

        def make() -> CachedResponse:
            rows = documents_table(self.page_data, **options)
            return make_response(csv_bytes(to_csv(rows)), CSV)

        response = await self.responses.run(make, slow=True)
        return to_response(request, response, attachment("documents.csv"))

    async def change_note(self, request: Request) -> Response:
        """Change the note on a topic."""
        return await self._change_topic(request, views.set_note)

    async def answer_intrusion(self, request: Request) -> Response:
        """Answer a question of the word-intrusion test about a topic."""
        return await self._change_topic(request, views.answer_intrusion)

    async def _change_topic(self, request: Request, change: Callable[..., Any]) -> Response:
        rejection = write_rejection(request)
        if rejection is not None:
            return rejection
        if not self.page_data.write:
            return error_response(403, "Notes are read-only; start laconic explore with --write.")
        (topic,) = path_values(request, TOPIC)
        values = await read_object(request)
        try:
            return await self._write(lambda: change(self.page_data, topic, values))
        finally:
            self.responses.clear()

    async def preview_edit(self, request: Request) -> Response:
        """Return what an edit of topics would change."""
        rejection = self._edit_rejection(request)
        if rejection is not None:
            return rejection
        change = await read_object(request)
        # In the thread that writes, because an edit must not change the model meanwhile.
        return await self._write(lambda: views.preview_edit(self.page_data, change))

    async def edit_topics(self, request: Request) -> Response:
        """Edit the topics of the model, and continue with the edited model."""
        rejection = self._edit_rejection(request)
        if rejection is not None:
            return rejection
        change = await read_object(request)

        def edit() -> dict[str, Any]:
            self.page_data, changes = views.make_edit(self.page_data, change)
            return changes

        try:
            return await self._write(edit)
        finally:
            self.version += 1
            self.responses.clear()

    def _edit_rejection(self, request: Request) -> Response | None:
        rejection = write_rejection(request)
        if rejection is None and not self.page_data.write:
            return error_response(403, "Topics are read-only; start laconic explore with --write.")
        return rejection

    async def _write(self, work: Callable[[], dict[str, Any]]) -> Response:
        """Return the result of work that one thread does, one after the other."""
        body = await asyncio.wrap_future(self.writer.submit(lambda: json_bytes(work())))
        return Response(body, headers={"Cache-Control": "no-store"}, media_type=JSON)

    async def vega(self, request: Request) -> Response:
        """Return the Vega bundle."""
        return to_response(request, await self.responses.get("vega.js", PROGRAM.get))

    async def static(self, request: Request) -> Response:
        """Return a static file."""
        return self._file(request, request.path_params["name"])

    def _page_handler(self, types: PathParameters) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            path_values(request, types)
            return self._file(request, "index.html")

        return handle

    def _file(self, request: Request, name: str) -> Response:
        response = self.files.get(name)
        if response is None:
            raise HTTPException(404, f"There is no file {shown(name)}.")
        return to_response(request, response)

    async def handle_error(self, request: Request, error: Exception) -> Response:
        """Return a response with the HTTP status and the message of an error."""
        if isinstance(error, BodyError):
            return error_response(error.status, str(error), {"Connection": "close"})
        if not isinstance(error, HTTPException):
            return error_response(
                404 if isinstance(error, views.NotFoundError) else 400, str(error)
            )
        page = self.files.get("index.html") if error.status_code == 404 else None
        if page is not None and _is_visit(request):  # the HTML page shows the error and links
            return Response(page.body, 404, media_type=page.media_type)
        return error_response(error.status_code, _error_message(request, error), error.headers)


def _is_visit(request: Request) -> bool:
    """Tell whether a browser requests an HTML page rather than JSON or a static file."""
    wants_page = "text/html" in request.headers.get("accept", "")
    return wants_page and not request.url.path.startswith(("/api/", "/static/"))


def path_values(request: Request, types: PathParameters) -> list[Any]:
    """Parse the path parameters of a request; an invalid value gives the HTTP status 404."""
    try:
        return [type_.read(name, request.path_params[name]) for name, type_ in types]
    except LaconicError as error:
        raise HTTPException(404, str(error)) from error


def _json_response(
    view: Callable[..., dict[str, Any]], *values: Any, **options: Any
) -> CachedResponse:
    return make_response(json_bytes(view(*values, **options)), JSON)


def _error_message(request: Request, error: HTTPException) -> str:
    if error.status_code == 405:
        allowed = ", ".join(sorted((error.headers or {}).get("Allow", "").split(", ")))
        return f"Method {shown(request.method)} is not allowed for this URL; use {allowed}."
    if error.detail == "Not Found":  # Starlette's message for an unknown route
        return f"There is no page {shown(request.url.path)}."
    return error.detail


def make_app(page_data: PageData, *, prepared: Callable[[], None] | None = None) -> Starlette:
    """Create the ASGI application of the explorer.

    Parameters
    ----------
    page_data : PageData
        The model and its documents.
    prepared : callable, optional
        Function without arguments that is called after the slow responses have been computed.

    Returns
    -------
    Starlette
        The application, which caches responses, so each model needs its own application.
    """
    handlers = Handlers(page_data, prepared)
    app = Starlette(
        routes=handlers.routes(),
        middleware=[Middleware(SecurityMiddleware)],
        exception_handlers={
            HTTPException: handlers.handle_error,
            LaconicError: handlers.handle_error,
        },
        lifespan=handlers.lifespan,
    )
    app.router.redirect_slashes = False
    return app
