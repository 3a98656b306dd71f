"""Templates: scripts, pages and drafts are files in the folder `templates` of their room."""

from functools import cache
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined


def template_text(room: str, name: str) -> str:
    """The text of a template as it stands in its file."""
    return (files(f"openbook.{room}") / "templates" / name).read_text(encoding="utf-8")


@cache
def environment(room: str, *, html: bool = False) -> Environment:
    """The environment of a room's templates; in HTML, text from the data is escaped."""
    return Environment(
        autoescape=html,  # noqa: S701 (texts and scripts are no HTML)
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=not html,
        undefined=StrictUndefined,
        loader=FunctionLoader(lambda name: template_text(room, name)),
    )
