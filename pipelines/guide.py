"""What stands where in the MLflow UI, as its descriptions say it in Markdown."""

from pipelines import view

HEAD = "## What is where"

POINT = """\
`questions.json`: one row a question. Tab *Traces*: questions with their passages, step by step (docs/ui.md).
`evidence_lost.svg`: the stages at which evidence was lost. `config.yaml`: the whole configuration.\
"""

SWEEP = """\
All points: artifact `leaderboard.json`; picture: `quality_latency.png`. Every point is a run of its own below this one,
with one row a question in `questions.json` and what usually helps in its description.
Which differences are real: `python -m pipelines.compare` with this run's id adds `report.html`.\
"""


def experiment(experiment_id: str, latest: str = "") -> str:
    """The description of the experiment, with the summary of the latest sweep if there is one."""
    lines = [
        HEAD,
        "",
        f"- [The table of runs]({view.address(experiment_id).removeprefix('/')}), the largest share of correct answers",
        "  first: a sweep is a run with its points below it, `+` opens it. Headline metrics and axes are columns; all",
        "  else has the prefix `detail/`: `detail/parts/` by category, `detail/causes/` why questions failed.",
        "- Filter above the table: `metrics.correct > 0.3 and params.embedding = 'e5-small'`, `tags.kind = 'point'`.",
        "- Chart view: runs side by side. Table view: choose `questions.json`, group by `question`, compare `label`.",
        "- A run: its description says what to change first; tab *Traces* shows failed questions with their passages.",
        "- Models: versions of the champion, with the reasons of the gate as tags.",
    ]
    return "\n".join([*lines, *(["", "## The latest sweep", "", latest] if latest else [])])


def described(before: str, own: str) -> str:
    """A description with its part from HEAD on replaced by `own`; what people wrote in front of it stays."""
    return f"{before.partition(HEAD)[0].rstrip()}\n\n{own}".lstrip()
