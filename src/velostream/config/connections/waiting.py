"""Sources that are not there yet: `topic.wait.timeout`, `file.wait.timeout`, `database.wait.timeout` and so on."""

from velostream.config.kinds import Duration
from velostream.config.property import Property


def waiting(what: str) -> tuple[Property, ...]:
    """The two settings of waiting for a topic, a file, a database or an address."""
    return (
        Property(
            f"{what}.wait.timeout",
            Duration(),
            f"how long to wait for a {what} that is not there yet",
            "30s",
            default="0s",
        ),
        Property(
            f"{what}.retry.interval",
            Duration(positive=True),
            f"how often to look whether the {what} is there",
            "5s",
            default="1s",
        ),
    )
