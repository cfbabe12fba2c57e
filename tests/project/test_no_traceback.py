"""Mistakes by the hundred, through the whole of checking and planning: none ends in a traceback.

Statements of the example applications are spoiled, and stand behind the sources that they read. What is refused, is
refused with findings that can be shown; what is accepted, can be planned and explained. VELO_FUZZ says how many.
"""

import os
import random
from pathlib import Path

import pytest
from tests.project.modules import ROOT
from tests.sql.mutations import any_token, spoiled, tokens_of

from velostream.cli.colours import Colours
from velostream.cli.report import FORMATS, Checked
from velostream.plan import plan
from velostream.plan.explain import application_data, explain_application
from velostream.sql.parse import parse, split
from velostream.validation import validate

COUNT = int(os.environ.get("VELO_FUZZ", "300"))
PARTS = 6
SEED = 4_711
APPS = sorted((ROOT / "examples").glob("*/app.sql"))


class Spoiler:
    """Wrong statements of one application."""

    def __init__(self, app: Path, chance: random.Random) -> None:
        text = app.read_text()
        statements = split(text)
        declared = parse(text, app.name).statements
        self.chance = chance
        self.sources = [
            each for each, parsed in zip(statements, declared, strict=True) if "query" not in vars_of(parsed)
        ]
        self.queries = [each for each in statements if each not in self.sources]

    def wrong(self) -> str:
        """The sources, and one query with something wrong in it: tokens spoiled, or a word from elsewhere put in."""
        query = self.chance.choice(self.queries)
        other = self.chance.choice(self.queries)
        if self.chance.random() < 0.5:
            return ";\n".join([*self.sources, spoiled(query, other, self.chance)])
        tokens = tokens_of(query)
        for _ in range(self.chance.choice((1, 1, 2))):
            new = self.chance.choice((self.chance.choice(tokens_of(other)), any_token(self.chance)))
            tokens[self.chance.randrange(len(tokens))] = new
        return ";\n".join([*self.sources, " ".join(tokens)])


def vars_of(parsed: object) -> set[str]:
    tree = parsed.tree  # type: ignore[attr-defined]
    return {name for name, value in tree.args.items() if value} if tree is not None else {"query"}


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.parent.name)
@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_is_typed_is_refused_in_words_or_can_be_planned(app: Path, part: int) -> None:
    spoiler = Spoiler(app, random.Random(SEED + part))
    for _ in range(COUNT // PARTS // len(APPS)):
        text = spoiler.wrong()
        try:
            answer = validate(text, app.name, folder=app.parent)
            checked = Checked(answer.text, tuple(answer.findings.ordered()))
            for form in FORMATS.values():
                form.render([checked], colours=Colours(), system_columns=False)
            if answer.ok:
                planned = plan(answer.bound)
                explain_application(planned)
                application_data(planned)
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error}\n{text}") from error
