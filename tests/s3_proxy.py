"""A small HTTP proxy before an S3 server that spoils the requests which a test names: lost replies, errors, hangs."""

import http.client
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import urlsplit

Kind = Literal["lose_reply", "reset", "hang", "cut_body", "status", "status_after"]
_HOP = {"connection", "expect", "keep-alive", "transfer-encoding", "content-length"}


@dataclass
class Fault:
    """What happens to the next request with this method.

    lose_reply: carried out, then the connection breaks; reset: the connection breaks first; hang: no answer for
    `seconds`, not carried out; cut_body: the answer ends halfway; status: refused with `status` and `code`;
    status_after: carried out, then answered with `status` and `code`.
    """

    kind: Kind
    method: str = "PUT"
    status: int = 500
    code: str = "InternalError"
    seconds: float = 1.5


@dataclass
class Proxy:
    """A running proxy. Put faults into `faults`; each spoils one request, in order. `seen` lists what came in."""

    endpoint: str
    upstream: str
    faults: list[Fault] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    drop_conditions: bool = False
    """Take `If-None-Match` out of every request: a store that does not know put-if-absent."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next_fault(self, method: str) -> Fault | None:
        """Note a request and return the fault that is due for it."""
        with self.lock:
            self.seen.append(method)
            for place, fault in enumerate(self.faults):
                if fault.method == method:
                    return self.faults.pop(place)
            return None


@contextmanager
def s3_proxy(upstream: str) -> Iterator[Proxy]:
    """Run a proxy before `upstream` (http://host:port) on a free port."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.proxy = Proxy(f"http://127.0.0.1:{server.server_address[1]}", upstream)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.proxy
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    proxy: Proxy
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: broken connections are what this server is for."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def _serve(self) -> None:
        proxy = self.server.proxy
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = proxy.next_fault(self.command)
        if fault is None:
            self._answer(*self._forward(proxy, body))
        elif fault.kind == "reset":
            self._break()
        elif fault.kind == "hang":
            time.sleep(fault.seconds)
            self._break()
        elif fault.kind == "status":
            self._answer(fault.status, [], _error(fault.code))
        else:
            status, headers, data = self._forward(proxy, body)
            if fault.kind == "status_after":
                self._answer(fault.status, [], _error(fault.code))
            elif fault.kind == "cut_body":
                self._answer(status, headers, data, send=len(data) // 2)
            else:
                self._break()

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = _serve

    def _forward(self, proxy: Proxy, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        connection = http.client.HTTPConnection(urlsplit(proxy.upstream).netloc, timeout=20)
        # The Host header goes on as it came: the request's signature covers it.
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP}
        if proxy.drop_conditions:
            headers = {name: value for name, value in headers.items() if name.lower() != "if-none-match"}
        if body or self.command == "PUT":
            headers["Content-Length"] = str(len(body))
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(body or None)
        response = connection.getresponse()
        data = response.read()
        kept = [(name, value) for name, value in response.getheaders() if name.lower() not in _HOP]
        if self.command == "HEAD" and (length := response.getheader("Content-Length")):
            kept.append(("Content-Length", length))
        connection.close()
        return response.status, kept, data

    def _answer(self, status: int, headers: list[tuple[str, str]], data: bytes, send: int | None = None) -> None:
        self.send_response_only(status)
        for name, value in headers:
            self.send_header(name, value)
        if not any(name.lower() == "content-length" for name, _ in headers):
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data[:send])
        if send is not None:
            self._break()

    def _break(self) -> None:
        """Close with a TCP reset, as a server that was killed does."""
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.shutdown(socket.SHUT_RD)
        self.connection.close()
        self.close_connection = True

    def log_message(self, *_args: Any) -> None:
        """Say nothing."""


def _error(code: str) -> bytes:
    return f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>injected</Message></Error>'.encode()
