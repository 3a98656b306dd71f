"""Errors of a command: one line each, with the exit code that `main` states."""

import atexit
import gc
import os
import re
import sys
import threading
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from openbook.errors import OpenbookError, for_command_line
from openbook.kernels.notice import clock

#: click's class of wrong options and arguments; where it lives depends on typer's version.
_UsageError: Any = typer.BadParameter.__base__


class Commands(TyperGroup):
    """Prints errors of the user or the system as one line, and flags in the help without a type."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]
        extra["standalone_mode"] = False
        gc.set_threshold(100_000, 50, 50)  # importing and compiling make many objects that live to the end
        atexit.register(_spare_the_search)
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # a terminal that lacks a sign shows another
                stream.reconfigure(errors="replace")
        clock.say = partial(typer.echo, err=True) if sys.stderr.isatty() else None
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _note
                code = super().main(args, prog_name, **extra)
        except _UsageError as error:
            _fail(_usage_words(error.format_message()))
        except OpenbookError as error:
            _fail(str(error))
        except OSError as error:
            _fail(_os_words(error))
        except (KeyboardInterrupt, typer.Abort):
            code = 130
        except Exception as error:
            if os.environ.get("OPENBOOK_TRACEBACK"):
                raise
            _fail(_internal_words(error), code=1)
        if code == 130:
            typer.echo("openbook: interrupted; run the same command again to resume a study", err=True)
        _leave(code if isinstance(code, int) else 0, ours=args is None)

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types(super().get_params(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            _without_types(command.get_params(ctx))
        return command


def _spare_the_search() -> None:
    """Skip the garbage collection at the exit, which takes long. DuckDB would report objects that stay."""
    if "duckdb" not in sys.modules:
        gc.freeze()


def _leave(code: int, *, ours: bool) -> None:
    """End the command. Threads that still run after a time limit or Ctrl-C may be compiling, and Python would
    crash when it removes the compiler, so a process of our own ends at once.
    """
    if ours and any(thread.daemon for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _without_types(params: list[Any]) -> list[Any]:
    """The parameters, flags without a type in the help: `--quick <bool>` looks as if it took a value."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params


def _note(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning in one line, as an error."""
    from openbook.words.sentences import printable

    typer.echo(f"openbook: note: {printable(for_command_line(str(message)))}", err=True)


def _fail(message: str, code: int = 2) -> None:
    from openbook.words.sentences import printable

    name = typer.style("openbook:", fg="red") if _coloured() else "openbook:"
    typer.echo(f"{name} {printable(for_command_line(message))}", err=True)
    sys.exit(code)


def _coloured() -> bool:
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR")


def _internal_words(error: Exception) -> str:
    """An error that no command expects."""
    what = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(":.")
    return f"internal error: {what}; please report it; run with OPENBOOK_TRACEBACK=1 for details"


def _usage_words(message: str) -> str:
    """The error of the arguments, with a hint if a shell has expanded a pattern without quotes."""
    extra = re.search(r"extra argument\S* \((\S+).*\)", message)
    if extra is None or not Path(extra[1]).exists():
        return message
    return f"{message}; to read several files as one table, put the pattern in quotes, as in 'sales-*.csv'"


def _os_words(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason
