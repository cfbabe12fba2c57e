"""Options that several verbs share."""

from __future__ import annotations

import click

preset_option = click.option("--preset", default="", metavar="NAME", help="Start from a preset: dev or prod.")
set_option = click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Set a property above all files; may be repeated."
)
