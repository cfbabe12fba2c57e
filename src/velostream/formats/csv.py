"""CSV: columns by position or by the names in a header."""

from velostream.config.kinds import Boolean, Letter, Text
from velostream.config.property import Property
from velostream.formats.base import Format

CSV = Format(
    "csv",
    "values separated by a character; files begin with a header",
    (
        Property(
            "csv.delimiter",
            Letter(),
            "what separates values",
            ";",
            default=",",
            aliases=("csv.field-delimiter", "delimiter", "csv.separator"),
        ),
        Property(
            "csv.header",
            Boolean(),
            "whether files begin with the names of the columns",
            "false",
            default="true",
            aliases=("header",),
        ),
        Property(
            "csv.quote",
            Letter(),
            "what surrounds values that hold the delimiter",
            "'",
            default='"',
            aliases=("csv.quote-character",),
        ),
        Property(
            "csv.escape",
            Letter(),
            "what makes the next character a plain one; without it a quote is doubled",
            "\\",
            aliases=("csv.escape-character",),
        ),
        Property(
            "csv.null",
            Text(),
            "the text that means NULL, beside an empty value",
            "NA",
            aliases=("csv.null-literal",),
        ),
    ),
)
