"""The nodes of a plan, one per file. A visitor that does not know one of them fails its test."""

from velostream.plan.nodes.aggregate import Aggregate, AggregateCall, Combining, Window
from velostream.plan.nodes.base import Node
from velostream.plan.nodes.deduplicate import Deduplicate
from velostream.plan.nodes.distinct import Distinct
from velostream.plan.nodes.filter import Filter
from velostream.plan.nodes.headers import HeaderEdit, Headers
from velostream.plan.nodes.join_streams import Bounds, JoinStreams
from velostream.plan.nodes.join_table import JoinTable, KeyPair, MissingData
from velostream.plan.nodes.materialise import Materialise
from velostream.plan.nodes.order import Order
from velostream.plan.nodes.order_limit import OrderLimit
from velostream.plan.nodes.print import Print
from velostream.plan.nodes.project import Column, Project
from velostream.plan.nodes.read_stream import ReadStream
from velostream.plan.nodes.row_windows import Buffer, Frame, RowCall, RowWindows
from velostream.plan.nodes.scan import Scan, ScanWay, WrittenBy
from velostream.plan.nodes.sinks import Sinks, SinkTarget
from velostream.plan.nodes.subquery_check import SubqueryCheck
from velostream.plan.nodes.table_scan import TableScan
from velostream.plan.nodes.top_n import TopN
from velostream.plan.nodes.union import Union
from velostream.plan.nodes.unnest import Unnest
from velostream.plan.nodes.values import Values

NODES: tuple[type[Node], ...] = (
    Scan,
    TableScan,
    ReadStream,
    Values,
    Filter,
    Project,
    Unnest,
    JoinTable,
    JoinStreams,
    SubqueryCheck,
    Deduplicate,
    Union,
    Aggregate,
    RowWindows,
    TopN,
    Distinct,
    OrderLimit,
    Headers,
    Sinks,
    Materialise,
    Print,
)

__all__ = [
    "NODES",
    "Aggregate",
    "AggregateCall",
    "Bounds",
    "Buffer",
    "Column",
    "Combining",
    "Deduplicate",
    "Distinct",
    "Filter",
    "Frame",
    "HeaderEdit",
    "Headers",
    "JoinStreams",
    "JoinTable",
    "KeyPair",
    "Materialise",
    "MissingData",
    "Node",
    "Order",
    "OrderLimit",
    "Print",
    "Project",
    "ReadStream",
    "RowCall",
    "RowWindows",
    "Scan",
    "ScanWay",
    "SinkTarget",
    "Sinks",
    "SubqueryCheck",
    "TableScan",
    "TopN",
    "Union",
    "Unnest",
    "Values",
    "Window",
    "WrittenBy",
]
