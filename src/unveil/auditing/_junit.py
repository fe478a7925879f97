"""An audit's verdict as JUnit XML, which every CI system can show.

A test suite is a release with one sensitive attribute, a test case is a threshold. A release that
could not be made is an error of each. Without thresholds there is nothing to pass or fail, and
each release is one test that was skipped, with what was found as its reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

__all__ = ["junit_of"]

# What XML 1.0 cannot hold, however it is written.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_of(audit: Mapping[str, Any]) -> str:
    """The XML, from what `Audit.to_dict` gives, or a file of it."""
    root = ElementTree.Element("testsuites", name=_plain(f"unveil: {audit['data']['source']}"))
    for secret in audit["secrets"]:
        for release in secret["releases"]:
            _suite(root, audit, secret["sensitive"], release)
    for count in ("tests", "failures", "errors", "skipped"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    root.set("time", f"{audit['seconds']:.3f}")
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(
    root: ElementTree.Element, audit: Mapping[str, Any], sensitive: str, release: Mapping[str, Any]
) -> None:
    name = _plain(f"{release['shown']}, {sensitive}")
    suite = ElementTree.SubElement(root, "testsuite", name=name)
    for check in release["checks"]:
        case = _case(suite, name, f"not {check['threshold']}")
        if release["error"] is not None:
            _outcome(case, "error", release["error"])
        elif not check["passed"]:
            _outcome(case, "failure", check["says"])
    if not release["checks"]:
        case = _case(suite, name, "no threshold")
        if release["error"] is not None:
            _outcome(case, "error", release["error"])
        else:
            _outcome(case, "skipped", "no threshold was given, so nothing passes or fails")
    for count, tag in (("tests", "testcase"), ("failures", "testcase/failure"),
                       ("errors", "testcase/error"), ("skipped", "testcase/skipped")):  # fmt: skip
        suite.set(count, str(len(suite.findall(tag))))


def _case(suite: ElementTree.Element, release: str, name: str) -> ElementTree.Element:
    # CI systems take what is before the last dot for a package: 'published.csv' must have none.
    class_ = release.replace(".", "\N{MIDDLE DOT}")
    return ElementTree.SubElement(
        suite, "testcase", classname=f"unveil.{class_}", name=_plain(name)
    )


def _outcome(case: ElementTree.Element, kind: str, says: str) -> None:
    ElementTree.SubElement(case, kind, message=_plain(says)).text = _plain(says)


def _plain(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
