"""python -m pipelines.threshold [key=value ...]: the cosine below which nothing should be answered, tuned last.

Takes the overrides of pipelines.evaluate. Looks at half of the golden set, keeps wrong answers within
`threshold.max_wrong_rate`, and says what that does to the other half.
"""

from typing import TYPE_CHECKING, Any

from pipelines.command import answered, run

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from evaluation.split import Split
    from evaluation.threshold import Case


def threshold(arguments: list[str]) -> int:
    """Exit code 0; 1 if no threshold keeps the limit. Raises InputError, and PointError if there is no result."""
    if answered(lambda cfg: None, "config", arguments):
        return 0
    from pipelines.config import points
    from rag.errors import InputError

    configurations = points("config", arguments)
    if len(configurations) > 1:
        raise InputError("pipelines.threshold takes one value for each key: tune the threshold of the set-up you chose")
    (given,) = configurations

    from omegaconf import OmegaConf

    from evaluation.threshold import NEVER
    from pipelines.dry_run import print_dry_run
    from pipelines.plan import prepare

    _check(given)
    # The threshold is applied afterwards, so every question is asked and paid for once.
    cfg: Any = OmegaConf.merge(given, {"decline": {"below": NEVER}})
    prepare([cfg])
    split = _split(cfg)
    return print_dry_run([cfg]) if cfg.dry_run else _tune(cfg, split)


def _check(cfg: "DictConfig") -> None:
    from rag.errors import InputError

    if cfg.decline.below is not None:
        raise InputError(f"decline.below={cfg.decline.below}: this command finds it; leave it out, or set it to null")
    limit = cfg.threshold.max_wrong_rate
    if not 0 <= limit < 1:
        raise InputError(f"threshold.max_wrong_rate={limit}: must be 0 or more and below 1")


def _split(cfg: "DictConfig") -> "Split":
    from collections import Counter

    from evaluation.split import split
    from pipelines import stages
    from rag.errors import InputError

    questions = stages.golden(cfg).questions
    kinds = Counter(question.answerable for question in questions)
    if min(kinds[True], kinds[False]) < 2:
        raise InputError(
            f"{cfg.golden.path}: {kinds[True]} answerable and {kinds[False]} unanswerable questions; a threshold is"
            " tuned on half of them and tried on the other half, so there must be two or more of both"
        )
    return split(questions)


def _tune(cfg: "DictConfig", split: "Split") -> int:
    from omegaconf import OmegaConf

    from evaluation.threshold import choose, closest, effect, trade_off
    from evaluation.threshold_picture import threshold_figure
    from pipelines import names, stages, threshold_report
    from pipelines.plan import characters
    from pipelines.point import measured_with
    from pipelines.progress import at_point, bar
    from pipelines.tracking import tracking

    store, setup, limit = tracking(cfg), names.point(cfg), cfg.threshold.max_wrong_rate
    with store.point(f"threshold · {setup}", None, measured_with(cfg), kind="threshold") as logged:
        logged.params({**names.params(cfg), "decline.below": None, "threshold.max_wrong_rate": limit})
        logged.text(OmegaConf.to_yaml(cfg, resolve=True), "config.yaml")
        with bar(characters([cfg]), 1), at_point(setup):
            cases = _cases(cfg)
        tuning = [cases[i] for i in split.tuning]
        effects = trade_off(tuning)
        chosen = choose(effects, limit)
        taken = chosen or closest(effects)
        held_out = effect([cases[i] for i in split.held_out], taken.threshold)
        text = threshold_report.text(tuning, effects, taken, held_out, limit)
        logged.metrics(threshold_report.metrics(tuning, taken, held_out))
        logged.table([threshold_report.row(own) for own in effects], "trade_off.json")
        logged.table(threshold_report.questions(stages.golden(cfg).questions, cases, split, taken), "split.json")
        logged.figure(threshold_figure(effects, taken, held_out, limit, f"Threshold · {setup}"), "threshold.png")
        logged.note(f"```\n{text}\n```")
    print(f"{setup}\n\n{text}\n\nMLflow run {logged.id}: threshold.png, trade_off.json, split.json")
    return 0 if chosen else 1


def _cases(cfg: "DictConfig") -> "list[Case]":
    """Every question as it is answered without a threshold. Raises InputError if some were not answered or judged."""
    from evaluation.threshold import Case
    from pipelines import judging, stages
    from rag.errors import InputError

    cases, errors = [], []
    rows = zip(stages.golden(cfg).questions, stages.strength(cfg), judging.labels(cfg), strict=True)
    for question, strength, judgement in rows:
        if judgement.label is None:
            errors.append(f"{question.id}: {judgement.error}")
        else:
            cases.append(Case(float(strength), question.answerable, judgement.label))
    if errors:
        raise InputError(
            f"{len(errors)} questions failed, and a threshold needs them all; the same command asks them again"
            f" ({errors[0]})"
        )
    return cases


if __name__ == "__main__":
    run(threshold)
