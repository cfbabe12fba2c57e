"""Values as they are: `string` and `bytes`, one column named `value`; a line of a file is a value."""

from velostream.formats.base import Format
from velostream.formats.field import Field
from velostream.types import BINARY, STRING

STRING_FORMAT = Format(
    "string", "the value as text, in the column `value`", aliases=("text",), columns=(Field("value", STRING),)
)
BYTES_FORMAT = Format("bytes", "the value as it is, in the column `value`", columns=(Field("value", BINARY),))
