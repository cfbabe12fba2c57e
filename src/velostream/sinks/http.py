"""HTTP as a sink: a webhook that gets every row with a key by which it knows repetitions."""

from velostream.config.connections.http import HEADERS, TIMEOUT, WebUrl
from velostream.config.kinds import Choice
from velostream.config.property import Property
from velostream.formats import FORMATS
from velostream.formats.base import format_property
from velostream.sinks.base import DELIVERY_GUARANTEE, Guarantee, Sink, always

_FORMATS = tuple(FORMATS[name] for name in ("json", "jsonl", "csv", "string"))

HTTP_SINK = Sink(
    name="http_sink",
    doc="a webhook; each request has an idempotency key",
    options=(
        Property("url", WebUrl(), "the address to send to", "https://example.org/alerts", required=True),
        Property("method", Choice(("POST", "PUT")), "the method of the requests", "PUT", default="POST"),
        TIMEOUT,
        format_property(_FORMATS, default="json"),
        DELIVERY_GUARANTEE,
    ),
    guarantee=always(Guarantee.IDEMPOTENT),
    formats=_FORMATS,
    families=(HEADERS,),
    aliases=("http", "webhook"),
    system="http",
)
