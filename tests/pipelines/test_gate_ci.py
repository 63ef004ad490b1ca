"""The files for CI name what is there: paths, commands, keys, and a schedule that is really quarterly."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipelines.config import CONF, ROOT, points
from pipelines.gate_subject import wanted
from pipelines.gate_thresholds import thresholds

GITHUB, GITLAB = ROOT / ".github" / "workflows" / "gate.yml", ROOT / "docs" / "ci" / ".gitlab-ci.yml"


def read(file: Path) -> Any:
    return yaml.safe_load(file.read_text(encoding="utf-8"))


GITHUB_ON, GITHUB_JOB = read(GITHUB)[True], read(GITHUB)["jobs"]["gate"]  # YAML 1.1 reads the key `on` as true
GITLAB_JOB = read(GITLAB)["gate"]
CRON = "17 5 1 1,4,7,10 *"


def test_documents_questions_prompts_and_configuration_start_it() -> None:
    changes = [rule["changes"] for rule in GITLAB_JOB["rules"] if "changes" in rule]
    watched = [GITHUB_ON["pull_request"]["paths"], GITHUB_ON["push"]["paths"], *changes]
    assert len(watched) == 4
    (cfg,) = points("config", [])
    prompts = [ROOT / "rag" / "answering" / "prompts" / "de.txt", *(ROOT / "evaluation" / "judging").rglob("*.txt")]
    must = [*Path(cfg.corpus.path).rglob("*.md"), Path(cfg.golden.path), *prompts, *CONF.rglob("*.yaml")]
    assert len(must) > 100
    for paths in watched:
        matched = {file for path in paths for file in files(path)}
        assert set(must) <= matched
        assert all(files(path) for path in paths)  # every path names something


def files(path: str) -> list[Path]:
    """The files below a path with GitHub's `**` or GitLab's `**/*` at its end."""
    found = ROOT / re.sub(r"/\*\*(/\*)?$", "", path)
    return [file for file in found.rglob("*") if file.is_file()] if found.is_dir() else [found] * found.exists()


def test_it_runs_once_a_quarter() -> None:
    assert [own["cron"] for own in GITHUB_ON["schedule"]] == [CRON]
    minute, hour, day, months, weekday = CRON.split()
    assert minute.isdigit()
    assert hour.isdigit()
    assert (day, weekday) == ("1", "*")  # one day of a month
    assert [int(month) % 3 for month in months.split(",")] == [1] * 4  # January, April, July, October
    assert CRON in GITLAB.read_text(encoding="utf-8")
    assert {"if": '$CI_PIPELINE_SOURCE == "schedule"'} in GITLAB_JOB["rules"]


def commands() -> dict[str, str]:
    (github,) = [step["run"] for step in GITHUB_JOB["steps"] if "pipelines.gate" in step.get("run", "")]
    (gitlab,) = [line for line in GITLAB_JOB["script"] if "pipelines.gate" in line]
    return {"github": github, "gitlab": gitlab}


@pytest.mark.parametrize("which", ["github", "gitlab"])
def test_the_command_is_one_that_the_gate_takes(which: str) -> None:
    command = re.sub(r"\$\{\{.*?\}\}|\$ACCEPT", "false", commands()[which])
    program, *arguments = command.split()
    assert (program, arguments[:2]) == (".venv/bin/python", ["-m", "pipelines.gate"])
    text = (GITHUB if which == "github" else GITLAB).read_text(encoding="utf-8")
    for default, subject in (("gate.run=champion", "champion"), ("gate.run=conf gate=example", "conf")):
        assert default in text
        overrides = " ".join(arguments[2:]).replace("$GATE", default).split()
        (cfg,) = points("config", overrides)
        assert wanted(cfg, overrides) == subject
        assert (cfg.gate.accept, cfg.gate.junit, cfg.gate.summary) == (False, "gate.xml", "gate.md")
        assert thresholds(cfg)


def test_a_proposed_change_is_no_baseline_for_others() -> None:
    assert "gate.accept=${{ github.event_name != 'pull_request' }}" in commands()["github"]
    rules = {rule["if"]: rule.get("variables", {}) for rule in GITLAB_JOB["rules"]}
    assert rules.pop('$CI_PIPELINE_SOURCE == "merge_request_event"') == {"ACCEPT": "false"}
    assert set(map(str, rules.values())) == {"{}"}
    assert GITLAB_JOB["variables"]["ACCEPT"] == "true"


def test_what_the_gate_writes_is_kept_also_when_it_fails() -> None:
    (upload,) = [step for step in GITHUB_JOB["steps"] if "upload-artifact" in step.get("uses", "")]
    assert upload["if"] == "always()"
    assert upload["with"]["path"].split() == ["gate.xml", "gate.md"]
    assert GITLAB_JOB["artifacts"] == {
        "when": "always",
        "paths": ["gate.xml", "gate.md"],
        "reports": {"junit": "gate.xml"},
    }


def test_every_file_of_thresholds_can_be_read() -> None:
    found = {
        file.stem: thresholds(points("config", [f"gate={file.stem}"])[0]) for file in (CONF / "gate").glob("*.yaml")
    }
    strict = {own.metric: (own.value, own.lowest) for own in found["strict"]}
    assert strict == {
        "coverage": (1.0, True),
        "recall_at_8": (0.9, True),
        "wrong": (0.1, False),
        "faithfulness": (0.8, True),
        "answer_relevancy": (0.75, True),
    }
    assert points("config", [])[0].gate.thresholds == points("config", ["gate=strict"])[0].gate.thresholds
    assert set(found) == {"strict", "example"}
