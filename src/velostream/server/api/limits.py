"""Requests have a largest size: what is larger is refused before anybody reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.server.api.problems import problem_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyLimit:
    """Refuses bodies above so many bytes, whether their length is told or not."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        told = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
        if told.isdigit() and int(told) > self.most:
            await self._refuse(scope, receive, send)
            return
        parts: list[Message] = []
        size, more = 0, True
        while more:
            message = await receive()
            parts.append(message)
            size += len(message.get("body", b""))
            more = message["type"] == "http.request" and bool(message.get("more_body"))
            if size > self.most:
                await self._refuse(scope, receive, send)
                return

        async def replayed() -> Message:
            return parts.pop(0) if parts else await receive()

        await self.app(scope, replayed, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = problem_response(
            "body-too-large",
            f"the body of a request may have {self.most:,} bytes",
            hint="send less, or start the server with a larger --body-limit",
            path=scope["path"],
        )
        await answer(scope, receive, send)
