"""An audit read back from its JSON, and refused where it is none."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unveil.auditing._form import FORM, first_fault
from unveil.errors import InputError

__all__ = ["read_audit"]


def read_audit(source: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
    """An audit as plain values, which are of the published form.

    Parameters
    ----------
    source : path, or mapping
        A file that `Audit.save` wrote, or what `Audit.to_dict` gave.

    Returns
    -------
    dict
        What `page_of`, `compare_audits` and `junit_of` take.

    Raises
    ------
    InputError
        If there is no such file, or it is no JSON, or no audit, or one of a form that this version
        does not know.

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.auditing import read_audit
    >>> survey = uv.datasets.election_survey()
    >>> audit = uv.audit(survey, "mondrian:k=5", attacks=["measures"], progress=False)
    >>> read_audit(audit.to_dict())["secrets"][0]["releases"][0]["figures"]["k"]
    5.0
    >>> read_audit({"finding": "linkage"})
    Traceback (most recent call last):
    unveil.errors.InputError: what was given is no audit: it is what 'linkage' found; give what ...
    """
    if isinstance(source, Mapping):
        # Through JSON, so that what was in memory is as it would be in a file.
        return _checked(json.loads(json.dumps(source)), "what was given")
    name = os.fspath(source)
    try:
        text = Path(name).read_text("utf-8-sig")
    except FileNotFoundError:
        raise InputError(
            f"there is no audit {name!r}; 'unveil audit --json FILE' writes one"
        ) from None
    except OSError as error:
        raise InputError(f"cannot read {name!r}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{name} is no audit: it is not in UTF-8") from None
    try:
        value = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{name} is no audit: it is not JSON, or was cut off ({_in_short(error)}); give what "
            "'unveil audit --json FILE' wrote"
        ) from None
    return _checked(value, name)


def _checked(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict) or value.get("finding") != "audit":
        other = value.get("finding") if isinstance(value, dict) else None
        what = f"it is what {other!r} found" if isinstance(other, str) else "it says nothing of one"
        raise InputError(f"{name} is no audit: {what}; give what 'unveil audit --json FILE' wrote")
    form = value.get("form")
    if isinstance(form, int) and not isinstance(form, bool) and form != FORM:
        by = value.get("unveil", "another version")
        newer = form > FORM
        raise InputError(
            f"{name} has form {form}, made by unveil {by}, and this version reads form {FORM}; "
            + ("install a newer unveil" if newer else "audit anew, or use the version that made it")
        )
    fault = first_fault(json.dumps(value))
    if fault is not None:
        raise InputError(f"{name} is not of the form of an audit: {fault}")
    return value


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no JSON")


def _in_short(error: Exception) -> str:
    return str(error) if isinstance(error, ValueError) else "nested too deeply"
