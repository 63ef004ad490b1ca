"""Every example in docs/golden-set.md is read as it stands."""

import re
from pathlib import Path

import pytest

from evaluation.golden import load

EXAMPLES = re.findall(r"```(json|jsonl|csv)\n(.*?)```", Path("docs/golden-set.md").read_text(encoding="utf-8"), re.S)


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_example(tmp_path: Path, name: str, example: str) -> None:
    (tmp_path / "golden").write_text(example, encoding="utf-8")
    first = load(str(tmp_path / "golden"))[0]
    assert first.question.endswith("?")
    assert first.expected_answer
    assert first.references


def test_there_is_one_for_each_format_in_one_file() -> None:
    assert [name for name, _ in EXAMPLES] == ["json", "jsonl", "json", "csv", "json"]
