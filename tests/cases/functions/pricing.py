"""Functions of a user, for the cases."""

from collections.abc import Iterator

from velostream.functions.python import aggregate, scalar, table


@scalar("DOUBLE")
def net(gross: float, rate: float) -> float:
    """The price without tax."""
    return gross / (1 + rate)


@aggregate("DOUBLE")
class Harmonic:
    """The harmonic mean."""

    def __init__(self) -> None:
        self.count = 0
        self.total = 0.0

    def add(self, value: float) -> None:
        """A row."""
        self.count += 1
        self.total += 1 / value

    def merge(self, other: "Harmonic") -> None:
        """Another state of the same group."""
        self.count += other.count
        self.total += other.total

    def finish(self) -> float:
        """The mean."""
        return self.count / self.total


@table("word STRING, place INT")
def words(text: str) -> Iterator[tuple[str, int]]:
    """The words of a text with their places."""
    for place, word in enumerate(text.split()):
        yield word, place
