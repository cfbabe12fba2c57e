"""Places on a map: GEOMETRY and GEOGRAPHY values as Well-Known Binary."""

from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.types import BINARY, INT, UNKNOWN

scalar = Family("spatial")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("ST_ASBINARY(place, [byte_order: string])", BINARY,
      "A place as Well-Known Binary",
      "HEX(ST_ASBINARY(ST_GEOMFROMWKB(X'0101000000000000000000F03F0000000000000040')))",
      "0101000000000000000000F03F0000000000000040"),
    scalar("ST_GEOGFROMWKB(bytes: binary)", UNKNOWN,
      "The geography that Well-Known Binary means",
      "ST_SRID(ST_GEOGFROMWKB(X'0101000000000000000000F03F0000000000000040'))", "4326"),
    scalar("ST_GEOMFROMWKB(bytes: binary, [srid: integer])", UNKNOWN,
      "The geometry that Well-Known Binary means",
      "ST_SRID(ST_GEOMFROMWKB(X'0101000000000000000000F03F0000000000000040'))", "0"),
    scalar("ST_SETSRID(place, srid: integer)", UNKNOWN,
      "A place with another spatial reference system",
      "ST_SRID(ST_SETSRID(ST_GEOMFROMWKB(X'0101000000000000000000F03F0000000000000040'), 3857))", "3857"),
    scalar("ST_SRID(place)", INT,
      "The number of the spatial reference system of a place",
      "ST_SRID(ST_GEOMFROMWKB(X'0101000000000000000000F03F0000000000000040'))", "0"),
)
