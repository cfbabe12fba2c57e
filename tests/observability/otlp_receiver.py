"""A receiver of OTLP in a process of its own: spans by HTTP and gRPC, each written to a file as a line of JSON.

python otlp_receiver.py FILE    prints the two ports, and runs until it is ended
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any

import grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import (
    TraceServiceServicer,
    add_TraceServiceServicer_to_server,
)

LOCK = Lock()


def keep(file: Path, request: ExportTraceServiceRequest, by: str) -> None:
    """Writes the spans of a request."""
    lines = []
    for resource in request.resource_spans:
        around = {one.key: one.value.string_value for one in resource.resource.attributes}
        for scope in resource.scope_spans:
            for span in scope.spans:
                told = {
                    "by": by,
                    "service": around.get("service.name"),
                    "name": span.name,
                    "trace": span.trace_id.hex(),
                    "span": span.span_id.hex(),
                    "parent": span.parent_span_id.hex(),
                    "links": [link.trace_id.hex() for link in span.links],
                    "seconds": (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9,
                    "attributes": {one.key: one.value.string_value or one.value.int_value for one in span.attributes},
                    "status": span.status.code,
                }
                lines.append(json.dumps(told))
    with LOCK, file.open("a") as out:
        out.write("".join(f"{line}\n" for line in lines))


def main(file: Path) -> None:
    """Serves until somebody ends it."""

    class Http(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = ExportTraceServiceRequest()
            request.ParseFromString(self.rfile.read(int(self.headers["Content-Length"])))
            keep(file, request, "http")
            self.send_response(200 if self.path == "/v1/traces" else 404)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Says nothing."""

    class Grpc(TraceServiceServicer):
        def Export(self, request: Any, context: Any) -> Any:  # noqa: N802
            keep(file, request, "grpc")
            return ExportTraceServiceResponse()

    rpc = grpc.server(ThreadPoolExecutor(2))
    add_TraceServiceServicer_to_server(Grpc(), rpc)
    port = rpc.add_insecure_port("127.0.0.1:0")
    rpc.start()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Http)
    print(server.server_port, port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
