"""A job's folder: what is fixed at its first start."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from velostream.errors import VeloError
from velostream.jobs.home import Home, murmur, spread


def test_the_hash_is_that_of_spark(one_spark: Any) -> None:
    numbers = [0, 1, 2, 7, 1000, 2**31 - 1, *range(100, 130)]
    found = one_spark.createDataFrame([(n,) for n in numbers], "n INT").selectExpr("hash(n) AS h").collect()
    assert [murmur(n) for n in numbers] == [row.h for row in found]


@pytest.mark.parametrize(("count", "partitions"), [(8, 2), (8, 4), (16, 8), (1, 2), (5, 2)])
def test_buckets_lie_evenly_on_the_partitions(count: int, partitions: int) -> None:
    places = Counter(murmur(number) % partitions for number in spread(count, partitions))
    assert sum(places.values()) == count
    assert max(places.values()) - min(places[place] for place in range(partitions)) <= 1


def test_the_number_of_buckets_stays_as_it_was_at_the_first_start(one_spark: Any, tmp_path: Path) -> None:
    spark = one_spark.newSession()
    first = Home(tmp_path).buckets(spark, 4)
    assert Home(tmp_path).buckets(spark, None) == Home(tmp_path).buckets(spark, 4) == first
    with pytest.raises(VeloError, match="spread over 4 buckets"):
        Home(tmp_path).buckets(spark, 16)


def test_there_is_a_bucket_for_each_partition_of_state_and_a_query_gets_the_partitions_of_its_first_start(
    one_spark: Any, tmp_path: Path
) -> None:
    spark = one_spark.newSession()
    partitions = int(one_spark.sparkContext.getConf().get("spark.sql.shuffle.partitions"))
    assert len(Home(tmp_path).buckets(spark, None)) == partitions
    spark.conf.set("spark.sql.shuffle.partitions", "7")
    Home(tmp_path).fix_partitions(spark)
    assert spark.conf.get("spark.sql.shuffle.partitions") == str(partitions)
