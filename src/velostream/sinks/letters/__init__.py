"""Dead letters: records that are in no result, each with the reason, kept where they outlive the job."""

from velostream.sinks.letters.files import read_letters, write_letters
from velostream.sinks.letters.letter import FIELDS, iso, letter
from velostream.sinks.letters.stores import COPIED, LetterStore, store_of

__all__ = ["COPIED", "FIELDS", "LetterStore", "iso", "letter", "read_letters", "store_of", "write_letters"]
