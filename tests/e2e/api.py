"""A stand-in for a model's API on this machine: it keeps the requests, and answers from a function."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Reply(NamedTuple):
    """A body and its type; a list is sent as events."""

    body: dict[str, Any] | list[dict[str, Any]]

    def encoded(self) -> tuple[str, bytes]:
        if isinstance(self.body, dict):
            return "application/json", json.dumps(self.body).encode()
        kinds = (f"event: {each['type']}\n" if "type" in each else "" for each in self.body)
        lines = (f"data: {json.dumps(each)}\n\n" for each in self.body)
        events = "".join(kind + line for kind, line in zip(kinds, lines, strict=True))
        return "text/event-stream", events.encode()


class Api(NamedTuple):
    """Where it listens, and the bodies of the requests so far."""

    address: str
    requests: list[dict[str, Any]]


def program(name: str, variable: str) -> str | None:
    """The path of a client: what a variable names, else what is on the PATH; None where there is none."""
    return os.environ.get(variable) or shutil.which(name)


@contextlib.contextmanager
def serve(answer: Callable[[str, dict[str, Any]], Reply]) -> Iterator[Api]:
    """Serve on a free port. *answer* is given the path and the body of each POST."""
    requests: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self._send(Reply({"data": [], "models": []}))

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
            requests.append(request)
            self._send(answer(self.path, request))

        def _send(self, reply: Reply) -> None:
            kind, body = reply.encoded()
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Api(f"http://127.0.0.1:{server.server_address[1]}", requests)
    finally:
        server.shutdown()
        server.server_close()
