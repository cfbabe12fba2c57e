"""Statements to text."""

from __future__ import annotations

from sqlglot import exp

from velostream.sql.nodes import WatermarkFor
from velostream.sql.printing.queries import Queries
from velostream.sql.statements import (
    ControlJob,
    CreateRelation,
    DeployJob,
    DropRelation,
    Explain,
    InsertInto,
    PrintTopic,
    Query,
    RollbackJob,
    SetProperty,
    StartJob,
)


class VeloGenerator(Queries):
    """Prints everything of the dialect."""

    def query_sql(self, expression: Query) -> str:
        """A query with its sinks and properties."""
        return _joined(self.sql(expression, "this"), *self.tail(expression))

    def createrelation_sql(self, expression: CreateRelation) -> str:
        """`CREATE …`."""
        args = expression.args
        columns, query = args.get("columns"), args.get("query")
        return _joined(
            "CREATE",
            "OR REPLACE" if args.get("replace") else "",
            args["kind"],
            "IF NOT EXISTS" if args.get("if_not_exists") else "",
            self.sql(expression, "this"),
            f"({self.listed(columns)})" if columns else "",
            self.sql(expression, "settings"),
            f"AS {self.sql(query)}" if query else "",
        )

    def watermarkfor_sql(self, expression: WatermarkFor) -> str:
        """`WATERMARK FOR c AS e`."""
        return f"WATERMARK FOR {self.sql(expression, 'this')} AS {self.sql(expression, 'expression')}"

    def columndef_sql(self, expression: exp.ColumnDef, sep: str = " ") -> str:
        """`name TYPE …`; inside of a struct `name: TYPE`."""
        sep = ": " if isinstance(expression.parent, exp.DataType) else " "
        constraints = [self.sql(constraint, "kind") for constraint in expression.args.get("constraints") or ()]
        return _joined(f"{self.sql(expression, 'this')}{sep}{self.sql(expression, 'kind')}", *constraints)

    def notnullcolumnconstraint_sql(self, expression: exp.NotNullColumnConstraint) -> str:
        """`NOT NULL`, or `NULL` where it was written."""
        return "NULL" if expression.args.get("allow_null") else "NOT NULL"

    def primarykey_sql(self, expression: exp.PrimaryKey) -> str:
        """`PRIMARY KEY (a, b)`."""
        return _joined(f"PRIMARY KEY ({self.listed(expression.expressions)})", *(expression.args.get("options") or ()))

    def insertinto_sql(self, expression: InsertInto) -> str:
        """`INSERT INTO …`."""
        columns = expression.args.get("columns")
        listed = f"({self.listed(columns)})" if columns else ""
        return _joined("INSERT INTO", self.sql(expression, "this"), listed, self.sql(expression, "query"))

    def droprelation_sql(self, expression: DropRelation) -> str:
        """`DROP …`."""
        guard = "IF EXISTS" if expression.args.get("if_exists") else ""
        return _joined("DROP", expression.args["kind"], guard, self.sql(expression, "this"))

    def explain_sql(self, expression: Explain) -> str:
        """`EXPLAIN …`."""
        return _joined("EXPLAIN", "ANALYZE" if expression.args.get("analyze") else "", self.sql(expression, "this"))

    def describe_sql(self, expression: exp.Expr) -> str:
        """`DESCRIBE x`."""
        return f"DESCRIBE {self.sql(expression, 'this')}"

    def show_sql(self, expression: exp.Expr) -> str:
        """`SHOW …`."""
        like = expression.args.get("like")
        return _joined(
            "SHOW", expression.this, self.sql(expression, "target"), f"LIKE {self.sql(like)}" if like else ""
        )

    def startjob_sql(self, expression: StartJob) -> str:
        """`START JOB …`."""
        return f"START JOB {self.sql(expression, 'this')} AS {self.sql(expression, 'statement')}"

    def controljob_sql(self, expression: ControlJob) -> str:
        """`STOP JOB …`."""
        force = "FORCE" if expression.args.get("force") else ""
        return _joined(expression.args["action"], "JOB", self.sql(expression, "this"), force)

    def deployjob_sql(self, expression: DeployJob) -> str:
        """`DEPLOY JOB …`."""
        strategy, percent = expression.args.get("strategy"), expression.args.get("percent")
        tail = f"STRATEGY {strategy}" + (f"({self.sql(percent)})" if percent else "") if strategy else ""
        body = f"VERSION {self.sql(expression, 'version')} AS {self.sql(expression, 'statement')}"
        return _joined("DEPLOY JOB", self.sql(expression, "this"), body, tail)

    def rollbackjob_sql(self, expression: RollbackJob) -> str:
        """`ROLLBACK JOB …`."""
        version = expression.args.get("version")
        return _joined("ROLLBACK JOB", self.sql(expression, "this"), f"VERSION {self.sql(version)}" if version else "")

    def setproperty_sql(self, expression: SetProperty) -> str:
        """`SET 'k' = 'v'`."""
        return f"SET {self.sql(expression, 'this')}"

    def printtopic_sql(self, expression: PrintTopic) -> str:
        """`PRINT topic …`."""
        args = expression.args
        parts = ["PRINT", self.sql(expression, "this"), "FROM BEGINNING" if args.get("from_beginning") else ""]
        parts += [
            f"{word} {self.sql(expression, word.lower())}" for word in ("INTERVAL", "LIMIT") if args.get(word.lower())
        ]
        return _joined(*parts)


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
