"""A gate's result as JUnit XML, which GitLab, Jenkins and reporters for GitHub show as tests."""

import re

from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite

from evaluation.decisions.findings import Finding
from pipelines.gate_report import Result, cells

_UNFIT = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, section 2.2


def junit(result: Result) -> str:
    """A suite for each kind of check; what was not measured is skipped, and says why."""
    xml = JUnitXml("gate")
    for group in dict.fromkeys(own.group for own in result.findings):
        suite = TestSuite(f"gate.{group}")
        for name, value in (("subject", result.subject), ("baseline", result.base), ("run", result.run)):
            suite.add_property(name, _fit(value))
        suite.add_testcases([_case(own) for own in result.findings if own.group == group])
        xml.add_testsuite(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring().decode()


def _case(own: Finding) -> TestCase:
    case = TestCase(_fit(f"{own.name} {own.limit}"), f"gate.{own.group}", 0.0)
    said = _fit(", ".join(filter(None, [own.reason, *cells(own)[1:3]])))
    if own.verdict == "failed":
        case.result = [Failure(said, own.group)]
    elif own.verdict == "not measured":
        case.result = [Skipped(said)]
    return case


def _fit(text: str) -> str:
    return _UNFIT.sub("\ufffd", text)
