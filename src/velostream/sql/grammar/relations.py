"""CREATE, INSERT INTO and DROP."""

from __future__ import annotations

from sqlglot import exp

from velostream.sql.grammar.queries import Queries
from velostream.sql.nodes import StreamSelect, WatermarkFor
from velostream.sql.statements import CreateRelation, DropRelation, InsertInto, Query

KINDS: tuple[str, ...] = ("STREAM", "TABLE", "VIEW")
"""What can be created and dropped."""


class Relations(Queries):
    """Rules for statements that declare streams and tables, and write into them."""

    def read_query_statement(self) -> Query:
        """A query as a statement: its sinks and properties are the statement's."""
        start = self._index
        body: exp.Expr = self.read_whole_query()
        emits = body.args.pop("emits", None) if not isinstance(body, StreamSelect) else None
        sinks, settings = body.args.pop("sinks", None), body.args.pop("settings", None)
        if isinstance(body, exp.Subquery) and set(body.args) == {"this"}:
            body = body.this
        if emits and isinstance(body, StreamSelect):
            for emit in emits:
                body.append("emits", emit)
            emits = None
        query = Query(this=body)
        for key, value in (("emits", emits), ("sinks", sinks), ("settings", settings)):
            if value:
                query.set(key, value)
        return self.node(query, start)

    def read_create(self) -> CreateRelation:
        """`CREATE [OR REPLACE] STREAM|TABLE|VIEW [IF NOT EXISTS] name [(columns)] [WITH (…)] [AS query]`."""
        start = self._index
        self.expect("CREATE")
        replace = self.accept("OR", "REPLACE")
        kind = next((word for word in KINDS if self.accept(word)), "")
        if not kind:
            if not self.at_end and self._curr.text.isidentifier():
                hint = "CREATE takes STREAM, TABLE or VIEW"
                self.refuse(f"CREATE {self._curr.text.upper()} is not known", hint=hint, code="unsupported")
            self.unexpected()
        if replace and self.ahead("IF", "NOT", "EXISTS"):
            self.refuse("OR REPLACE and IF NOT EXISTS exclude each other", hint="keep one of them")
        guarded = self.accept("IF", "NOT", "EXISTS")
        create = CreateRelation(this=self.read_name(f"the name of a {kind.lower()}"), kind=kind)
        if replace:
            create.set("replace", True)
        if guarded:
            create.set("if_not_exists", True)
        if self.at("("):
            create.set("columns", self._columns())
        if self.at("WITH", "("):
            create.set("settings", self.read_settings())
        if self.accept("AS"):
            self._created_query(create)
        elif not create.args.get("columns") and not create.args.get("settings"):
            self.unexpected("AS SELECT …")
        if kind == "VIEW" and not create.args.get("query"):
            self.refuse("a view needs a query", hint="write CREATE VIEW … AS SELECT …")
        return self.node(create, start)

    def _created_query(self, create: CreateRelation) -> None:
        """The query; properties that stand before AS are the query's too."""
        if not self.query_ahead():
            self.unexpected("SELECT")
        query = self.read_query_statement()
        settings = create.args.pop("settings", None)
        if settings is not None and query.args.get("settings"):
            self.refuse("WITH is given twice", hint="keep one of them", span=self.placed(query.args["settings"]))
        if settings is not None:
            query.set("settings", settings)
        create.set("query", query)

    def _columns(self) -> list[exp.Expr]:
        self.expect("(")
        columns = [self._column()]
        while self.accept(","):
            columns.append(self._column())
        self.expect(")")
        return columns

    def _column(self) -> exp.Expr:
        start = self._index
        if self.accept("WATERMARK", "FOR"):
            name = self.read_name("a column")
            self.expect("AS")
            return self.node(WatermarkFor(this=name, expression=self.read_expression()), start)
        if self.ahead("PRIMARY", "KEY", "("):
            self._advance(2)
            key = exp.PrimaryKey(expressions=self.read_names())
            if self.accept("NOT", "ENFORCED"):
                key.set("options", ["NOT ENFORCED"])
            return self.node(key, start)
        name = self.read_name("a column")
        if self.at("AS") or self.at("METADATA"):
            hint = "compute it in a stream on top: CREATE STREAM … AS SELECT …"
            self.refuse("a computed column is not supported in a column list", hint=hint, code="unsupported")
        column = exp.ColumnDef(this=name, kind=self.read_type())
        constraints = self._constraints()
        if constraints:
            column.set("constraints", constraints)
        return self.node(column, start)

    def _constraints(self) -> list[exp.Expr]:
        constraints: list[exp.Expr] = []
        while True:
            start = self._index
            if self.accept("NOT", "NULL"):
                kind: exp.Expr = exp.NotNullColumnConstraint()
            elif self.accept("NULL"):
                kind = exp.NotNullColumnConstraint(allow_null=True)
            elif self.accept("PRIMARY", "KEY") or self.accept("KEY"):
                kind = exp.PrimaryKeyColumnConstraint()
            elif self.accept("COMMENT"):
                kind = exp.CommentColumnConstraint(this=self.read_string())
            else:
                return constraints
            self.node(kind, start)
            constraints.append(self.node(exp.ColumnConstraint(kind=kind), start))

    def read_insert(self) -> InsertInto:
        """`INSERT INTO name [(columns)] SELECT … | VALUES …`."""
        start = self._index
        self.expect("INSERT")
        if self.at("OVERWRITE"):
            self.refuse("INSERT OVERWRITE is not supported", hint="use INSERT INTO", code="unsupported")
        self.expect("INTO")
        insert = InsertInto(this=self.read_sink())
        if self.at("(") and not self.query_ahead():
            insert.set("columns", self.read_names())
        if self.at("VALUES"):
            insert.set("query", self.read_values())
        elif self.at("SELECT") or self.at("WITH") or self.at("("):
            insert.set("query", self.read_query_statement())
        else:
            self.unexpected()
        return self.node(insert, start)

    def read_drop(self) -> DropRelation:
        """`DROP STREAM|TABLE|VIEW [IF EXISTS] name`."""
        start = self._index
        self.expect("DROP")
        kind = next((word for word in KINDS if self.accept(word)), "")
        if not kind:
            self.unexpected()
        guarded = self.accept("IF", "EXISTS")
        drop = DropRelation(this=self.read_name(f"the name of a {kind.lower()}"), kind=kind)
        if guarded:
            drop.set("if_exists", True)
        return self.node(drop, start)
