"""Text on standard output: to a file or a pipe as it is, to a terminal without control characters.

So redirected output equals that of `-o`, and no cell or name can control a terminal.
"""

import sys
from pathlib import Path

from openbook.plan.files import write_text
from openbook.words.sentences import printable


def put_out(text: str, out: Path | None = None) -> None:
    """Write text with its own line ends to a file or to standard output."""
    if out is not None:
        write_text(out, text)
        return
    if sys.stdout.isatty():
        text = "\n".join(printable(line) for line in text.split("\n"))
        sys.stdout.write(text)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
    sys.stdout.flush()
