"""The page of a review on this machine's loopback: it saves decisions, and applies them when it is told to.

Who may talk to it: only somebody who knows the random token in its address, from a page of that same address. A request
with another `Host` or `Origin` (another site open in the same browser) is refused.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ..problem import Problem
from .decisions import MAX_BYTES, Decisions, parse_decisions

SECONDS = 30  # without a byte from who asked
MOST_AT_ONCE = 32  # requests; a browser has six
Save = Callable[[Decisions], None]
Apply = Callable[[], str]


class ReviewServer(ThreadingHTTPServer):
    """Serves `page`; `save` keeps decisions, `apply` makes what is accepted and returns lines for people.

    Both may raise Problem. They are called by one request at a time.
    """

    daemon_threads = True

    def __init__(self, page: str, save: Save, apply: Apply, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.page, self.save, self.apply = page.encode(), save, apply
        self.token = secrets.token_urlsafe(32)
        self.lock = threading.Lock()
        self._room = threading.BoundedSemaphore(MOST_AT_ONCE)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own; a request too many is dropped."""
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer one request."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: who asked has gone, or asks for no page."""

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"{self.origin}/{self.token}/"


class _Handler(BaseHTTPRequestHandler):
    server: ReviewServer
    server_version, sys_version = "spawnfix", ""
    timeout = SECONDS

    def do_GET(self) -> None:
        """The page."""
        if self._allowed("") and self.path == f"/{self.server.token}/":
            self._answer(HTTPStatus.OK, self.server.page, "text/html; charset=utf-8")

    def do_PUT(self) -> None:
        """Keep the decisions."""
        if self._allowed("decisions"):
            self._try(lambda body: (self.server.save(parse_decisions(body, "the decisions of the page")), "saved")[1])

    def do_POST(self) -> None:
        """Make what is accepted."""
        if self._allowed("apply"):
            self._try(lambda body: self.server.apply())

    def _allowed(self, name: str) -> bool:
        host = self.headers.get("Host", "")
        origin = self.headers.get("Origin")
        mine = f"/{self.server.token}/{name}"
        known = secrets.compare_digest(self.path.encode(), mine.encode())
        if host != self.server.origin.removeprefix("http://") or origin not in (None, self.server.origin) or not known:
            self._answer(HTTPStatus.NOT_FOUND, b"not here\n", "text/plain")
            return False
        if name and origin is None:  # every browser names the origin of a PUT or POST
            self._answer(HTTPStatus.FORBIDDEN, b"only the page may ask for this\n", "text/plain")
            return False
        return True

    def _try(self, action: Callable[[str], str]) -> None:
        try:
            size = int(self.headers.get("Content-Length", ""))
            if not 0 <= size <= MAX_BYTES:
                raise ValueError
            body = self.rfile.read(size).decode("utf-8")
        except ValueError:
            self._answer(HTTPStatus.BAD_REQUEST, b"no such request\n", "text/plain")
            return
        try:
            with self.server.lock:
                text, status = action(body), HTTPStatus.OK
        except Problem as problem:
            text, status = str(problem), HTTPStatus.CONFLICT
        self._answer(status, text.encode("utf-8", "backslashreplace"), "text/plain; charset=utf-8")

    def _answer(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the address has the token in it."""
