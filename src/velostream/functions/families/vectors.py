"""Vectors of FLOAT: distance, norm."""

from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.types import FLOAT, array

scalar = Family("vector")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("VECTOR_COSINE_SIMILARITY(left: vector, right: vector)", FLOAT,
      "The cosine of the angle between two vectors",
      "VECTOR_COSINE_SIMILARITY(ARRAY(1F, 0F), ARRAY(1F, 0F))", "1.0"),
    scalar("VECTOR_INNER_PRODUCT(left: vector, right: vector)", FLOAT,
      "The sum of the products of the elements of two vectors",
      "VECTOR_INNER_PRODUCT(ARRAY(1F, 2F), ARRAY(3F, 4F))", "11.0"),
    scalar("VECTOR_L2_DISTANCE(left: vector, right: vector)", FLOAT,
      "The Euclidean distance of two vectors",
      "VECTOR_L2_DISTANCE(ARRAY(0F, 0F), ARRAY(3F, 4F))", "5.0"),
    scalar("VECTOR_NORM(vector: vector, [degree: number])", FLOAT,
      "The length of a vector, Euclidean if no degree is given",
      "VECTOR_NORM(ARRAY(3F, 4F))", "5.0"),
    scalar("VECTOR_NORMALIZE(vector: vector, [degree: number])", array(FLOAT),
      "The vector of the same direction and length 1",
      "VECTOR_NORMALIZE(ARRAY(3F, 4F))", "[0.6, 0.8]"),
)
