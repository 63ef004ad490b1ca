"""python -m pipelines.judge_noise --run ID [--repeats N] [key=value ...]: how much a judge's numbers vary.

Judges the answers of a run N times and logs to it the difference below which two runs do not differ: `judge_noise` for
the share of correct answers, `faithfulness_noise` and so on for the scores of RAGAS.
"""

import argparse
from typing import TYPE_CHECKING

from pipelines.command import check_keys, run
from rag.errors import InputError

if TYPE_CHECKING:
    from omegaconf import DictConfig

REPEATS = 3
JUDGE = "judge"  # its metric is judge_noise


def judge_noise(arguments: list[str]) -> int:
    """Exit code 0; 1 if some questions could not be judged every time. Raises InputError."""
    parser = argparse.ArgumentParser(
        prog="python -m pipelines.judge_noise",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--run", required=True, help="id of a run of pipelines.evaluate or of a point of a sweep")
    parser.add_argument("--repeats", type=int, default=REPEATS, help=f"two or more (default: {REPEATS})")
    parser.add_argument("overrides", nargs="*", help="tracking.uri")
    chosen = parser.parse_intermixed_args(arguments)
    check_keys(chosen.overrides, ("tracking.uri",))
    if chosen.repeats < 2:
        raise InputError(f"--repeats {chosen.repeats}: noise is measured with two or more")

    from evaluation.noise import noise
    from pipelines import stages
    from pipelines.config import points
    from pipelines.fingerprint import fingerprint
    from pipelines.plan import characters
    from pipelines.progress import bar
    from pipelines.tracking import FINGERPRINT, PastPoint

    point = PastPoint(chosen.run, points("config", chosen.overrides)[0].tracking.uri)
    cfg = point.config()
    if fingerprint(cfg) != point.tags.get(FINGERPRINT):
        raise InputError(
            f"run {point.id}: code, documents, questions or judge are not what they were; evaluate, name the new run"
        )
    with bar(characters([cfg]), 1):
        if [row["answer"] for row in point.questions()] != [answer.text for answer in stages.answers(cfg)]:
            raise InputError(f"run {point.id}: its answers are no longer in the cache; evaluate, name the new run")
        values = _values(cfg, chosen.repeats)
    failed = 0
    print(f"{'':20}     mean  deviation  unstable     limit")
    for name, repeats in values.items():
        questions = list(zip(*repeats, strict=True))
        failed += sum(0 < own.count(None) < len(own) for own in questions)
        kept = [own for own in questions if None not in own]
        found = noise(list(zip(*kept, strict=True)))
        point.metrics({f"{name}_noise": found.limit})
        print(f"{name:20} {found.mean:8.3f}  {found.deviation:9.4f}  {found.unstable:8.3f}  {found.limit:8.4f}")
    print("Runs whose means differ by less than the limit do not differ.")
    if failed:
        print(f"{failed} values are left out: the judge did not give them every time")
    return int(failed > 0)


def _values(cfg: "DictConfig", repeats: int) -> "dict[str, list[list[float | None]]]":
    """`values[name][repeat][question]`: whether the label is correct, and the scores of RAGAS; None: there is none."""
    from evaluation.judging import RagasJudge
    from pipelines import judging

    judges = [judging.judge(cfg).repeated(n) for n in range(repeats)]
    labels = [judging.labelled_by(cfg, judge) for judge in judges]
    values = {
        JUDGE: [[None if own.label is None else float(own.label == "correct") for own in repeat] for repeat in labels]
    }
    if isinstance(judges[0], RagasJudge):
        scores = [judging.scored_by(cfg, judge) for judge in judges]
        for metric in judges[0].metrics:
            values[metric] = [[own.scores.get(metric) for own in repeat] for repeat in scores]
    return values


if __name__ == "__main__":
    run(judge_noise)
