"""Windows and emission to text."""

from __future__ import annotations

from sqlglot import exp

from velostream.sql.nodes import Emit, RowWindow, TimeWindow, WindowOption
from velostream.sql.printing.expressions import Expressions


class Windows(Expressions):
    """Prints time windows, row windows and EMIT."""

    def table_window(self, window: TimeWindow, source: str) -> str:
        """Flink's spelling, with its order of arguments."""
        time, *rest = window.expressions
        hop = window.this.name.upper() == "HOP"
        lengths = [item for item in rest if item.key == "duration"]
        keys = [item for item in rest if item.key != "duration"]
        ordered = lengths[::-1] if hop else lengths
        offsets = [option.expression for option in window.args.get("options") or ()]
        keyed = f" PARTITION BY {self.listed(keys)}" if keys else ""
        arguments = ", ".join([f"DESCRIPTOR({self.sql(time)})", *(self.sql(item) for item in (*ordered, *offsets))])
        return f"TABLE({self.sql(window, 'this')}(TABLE {source}{keyed}, {arguments}))"

    def named_window(self, window: exp.Window) -> str:
        """`w AS (…)`."""
        return f"{self.sql(window, 'this')} AS ({self._window_body(window)})"

    def timewindow_sql(self, expression: TimeWindow) -> str:
        """`WINDOW TUMBLING(…)`, or `TUMBLE(…)` in GROUP BY."""
        name, spelling = self.sql(expression, "this"), expression.args.get("spelling")
        if expression.args.get("named"):
            return f"WINDOW {name}"
        arguments = list(expression.expressions)
        if spelling == "group" and expression.this.name.upper() == "HOP" and len(arguments) > 1:
            arguments = [*arguments[:-2], *arguments[:-3:-1]]
        text = f"{name}({self.listed([*arguments, *(expression.args.get('options') or ())])})"
        return text if spelling == "group" else f"WINDOW {text}"

    def windowoption_sql(self, expression: WindowOption) -> str:
        """`OFFSET 1h`."""
        return f"{expression.this} {self.sql(expression, 'expression')}"

    def window_sql(self, expression: exp.Window) -> str:
        """`f(x) OVER (…)`."""
        body = self._window_body(expression)
        base = expression.args.get("alias")
        if base is not None and body == self.sql(base):
            return f"{self.sql(expression, 'this')} OVER {body}"
        return f"{self.sql(expression, 'this')} OVER ({body})"

    def rowwindow_sql(self, expression: RowWindow) -> str:
        """`f(x) OVER (ROWS WINDOW BUFFER n ROWS …)`."""
        return f"{self.sql(expression, 'this')} OVER ({self._window_body(expression)})"

    def _window_body(self, window: exp.Window) -> str:
        args, buffer = window.args, window.args.get("buffer")
        parts = [self.sql(args.get("alias"))]
        if buffer is not None:
            parts.append(f"ROWS WINDOW BUFFER {self.sql(buffer, 'this')} ROWS")
        if args.get("partition_by"):
            parts.append(f"PARTITION BY {self.listed(args['partition_by'])}")
        parts += [self.sql(args.get("order")), self.sql(args.get("spec"))]
        if buffer is not None and buffer.args.get("expire"):
            parts.append(f"EXPIRE AFTER {self.sql(buffer, 'expire')}")
        if buffer is not None and buffer.args.get("emit"):
            parts.append(f"EMIT {buffer.args['emit']}")
        return " ".join(part for part in parts if part)

    def windowspec_sql(self, expression: exp.WindowSpec) -> str:
        """`ROWS BETWEEN … AND …`."""
        kind, start = expression.args["kind"], self._bound(expression, "start")
        if not expression.args.get("end"):
            return f"{kind} {start}"
        return f"{kind} BETWEEN {start} AND {self._bound(expression, 'end')}"

    def _bound(self, spec: exp.WindowSpec, key: str) -> str:
        value = spec.args[key]
        text = value if isinstance(value, str) else self.operand(value, 5)
        return " ".join(part for part in (text, spec.args.get(f"{key}_side")) if part)

    def emit_sql(self, expression: Emit) -> str:
        """One EMIT clause."""
        kind = expression.this
        if kind == "WHEN":
            fallback = expression.args.get("fallback")
            tail = f" FALLBACK EVERY {self.sql(fallback)}" if fallback else ""
            return f"EMIT WHEN ({self.sql(expression, 'condition')}){tail}"
        if kind == "EARLY":
            return f"EMIT EARLY EVERY {self.sql(expression, 'interval')}"
        if kind == "EVERY":
            return f"EMIT EVERY {self.sql(expression, 'rows')} ROWS"
        return f"EMIT {kind}"
