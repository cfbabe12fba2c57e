"""Percentiles, deviation, correlation, regression."""

from velostream.functions.arithmetic import averaged, averaged_x, continuous, interpolated
from velostream.functions.base import Function, FunctionKind
from velostream.functions.family import Family
from velostream.functions.returns import several
from velostream.types import BIGINT, DOUBLE

aggregate = Family("statistics", FunctionKind.AGGREGATE)

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    aggregate("CORR(y: number, x: number)", DOUBLE,
      "The correlation coefficient of two columns, from -1 to 1",
      "ROUND(CORR(price, quantity), 4)", "-0.0468", aliases=("CORRELATION",), accumulator="corr"),
    aggregate("COVAR_POP(y: number, x: number)", DOUBLE,
      "The covariance of two columns over a whole population",
      "ROUND(COVAR_POP(price, quantity), 4)", "-0.1667", accumulator="covar_pop"),
    aggregate("COVAR_SAMP(y: number, x: number)", DOUBLE,
      "The covariance of two columns of a sample",
      "ROUND(COVAR_SAMP(price, quantity), 4)", "-0.25", accumulator="covar_samp"),
    aggregate("KURTOSIS(number: number)", DOUBLE,
      "How heavy the tails of the distribution are, 0 for a normal one",
      "ROUND(KURTOSIS(price), 4)", "-0.7721", accumulator="kurtosis"),
    aggregate("MEDIAN(number: amount)", interpolated,
      "The value in the middle, exactly",
      "MEDIAN(price)", "11.75", accumulator="median", merges=False),
    aggregate("PERCENTILE(number: amount, percentage!: percentage)", several(interpolated, 1),
      "The value below which a share of the values lies, exactly, between two values where needed",
      "PERCENTILE(price, 0.5)", "11.75", accumulator="percentile_cont", merges=False),
    aggregate("PERCENTILE_CONT(percentage!: percentage) | (number: amount, percentage!: percentage)", continuous,
      "The value below which a share of the values lies, between two values where needed. Also written "
      "PERCENTILE_CONT(0.95) WITHIN GROUP (ORDER BY value)",
      "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY price)", "11.75", accumulator="percentile_cont", merges=False,
      lowers="percentile_cont({0})\n"
             "percentile_cont({1}) WITHIN GROUP (ORDER BY {0})"),
    aggregate("PERCENTILE_DISC(percentage!: percentage) | (number: amount, percentage!: percentage)", continuous,
      "The first value at or above a share of the values. Also written PERCENTILE_DISC(0.95) WITHIN GROUP "
      "(ORDER BY value)",
      "PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY price)", "11.0", accumulator="percentile_disc", merges=False,
      lowers="percentile_disc({0})\n"
             "percentile_disc({1}) WITHIN GROUP (ORDER BY {0})"),
    aggregate("REGR_AVGX(y: number, x: number)", averaged_x,
      "The average of x where neither is NULL",
      "REGR_AVGX(price, quantity)", "2.0", accumulator="regr_avgx"),
    aggregate("REGR_AVGY(y: number, x: number)", averaged,
      "The average of y where neither is NULL",
      "REGR_AVGY(price, quantity)", "13.833333", accumulator="regr_avgy"),
    aggregate("REGR_COUNT(y: number, x: number)", BIGINT,
      "How many rows have neither NULL",
      "REGR_COUNT(price, quantity)", "3", accumulator="regr_count"),
    aggregate("REGR_INTERCEPT(y: number, x: number)", DOUBLE,
      "Where the line of least squares meets the y axis",
      "ROUND(REGR_INTERCEPT(price, quantity), 4)", "14.3333", accumulator="regr_intercept"),
    aggregate("REGR_R2(y: number, x: number)", DOUBLE,
      "How much of y the line of least squares explains, from 0 to 1",
      "ROUND(REGR_R2(price, quantity), 4)", "0.0022", accumulator="regr_r2"),
    aggregate("REGR_SLOPE(y: number, x: number)", DOUBLE,
      "The slope of the line of least squares",
      "ROUND(REGR_SLOPE(price, quantity), 4)", "-0.25", accumulator="regr_slope"),
    aggregate("REGR_SXX(y: number, x: number)", DOUBLE,
      "The sum of squared distances of x from its average, where neither is NULL",
      "ROUND(REGR_SXX(price, quantity), 4)", "2.0", accumulator="regr_sxx"),
    aggregate("REGR_SXY(y: number, x: number)", DOUBLE,
      "The sum of products of the distances of x and y from their averages",
      "ROUND(REGR_SXY(price, quantity), 4)", "-0.5", accumulator="regr_sxy"),
    aggregate("REGR_SYY(y: number, x: number)", DOUBLE,
      "The sum of squared distances of y from its average, where neither is NULL",
      "ROUND(REGR_SYY(price, quantity), 4)", "57.1667", accumulator="regr_syy"),
    aggregate("SKEWNESS(number: number)", DOUBLE,
      "How far the distribution leans, 0 for a symmetric one",
      "ROUND(SKEWNESS(price), 4)", "1.0325", accumulator="skewness"),
    aggregate("STDDEV_POP(number: number)", DOUBLE,
      "The standard deviation of a whole population",
      "ROUND(STDDEV_POP(price), 4)", "3.8243", accumulator="stddev_pop"),
    aggregate("STDDEV_SAMP(number: number)", DOUBLE,
      "The standard deviation of a sample",
      "ROUND(STDDEV_SAMP(price), 4)", "4.4159", aliases=("STDDEV", "STD", "STDDEV_SAMPLE"),
      accumulator="stddev_samp"),
    aggregate("VAR_POP(number: number)", DOUBLE,
      "The variance of a whole population",
      "ROUND(VAR_POP(price), 4)", "14.625", accumulator="var_pop"),
    aggregate("VAR_SAMP(number: number)", DOUBLE,
      "The variance of a sample",
      "ROUND(VAR_SAMP(price), 4)", "19.5", aliases=("VARIANCE",), accumulator="var_samp"),
)
