"""Temporary data of a test in a folder of its own."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from unveil.engine import _care


@contextmanager
def own_temporary_folder(there: Path) -> Iterator[Path]:
    """Let this process have its temporary data in a folder, as if it had just begun."""
    with (
        mock.patch.object(tempfile, "tempdir", str(there)),
        mock.patch.object(_care, "_ours", None),
    ):
        yield there
        if _care._ours is not None:
            _care._ours.finish()


def desks(there: Path) -> list[Path]:
    """The folders in it that processes have for a while."""
    return [path for path in there.glob("unveil-*/*") if path.is_dir()]
