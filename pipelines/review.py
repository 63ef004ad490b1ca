"""python -m pipelines.review export|import|agreement --run ID [--file FILE.csv] [key=value ...]

export     write answers for people to label, to a CSV and as traces in the MLflow UI
import     read the labels back from the CSV that --file names, else from the assessments `label` of the traces; labels
           that the file gives to another answer than the run's are left out and counted
agreement  log how far the judge agrees with people; exit code 1 if it may not label the rest
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.command import check_keys, run
from rag.errors import InputError

if TYPE_CHECKING:
    from pipelines.tracking import PastPoint

FILE = Path("review.csv")
KEPT = "review.json"


def review(arguments: list[str]) -> int:
    """Exit code 0; of `agreement` 1 if the judge may not label on its own. Raises InputError."""
    parser = argparse.ArgumentParser(
        prog="python -m pipelines.review", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=("export", "import", "agreement"))
    parser.add_argument("--run", required=True, help="id of a run of pipelines.evaluate or of a point of a sweep")
    parser.add_argument("--file", type=Path, help=f"export writes {FILE} if it is not given")
    parser.add_argument("overrides", nargs="*", help="review.answers, review.kappa, tracking.uri")
    chosen = parser.parse_intermixed_args(arguments)
    check_keys(chosen.overrides, ("review.answers", "review.kappa", "tracking.uri"))

    from evaluation.review import choose, judged
    from pipelines.config import points
    from pipelines.tracking import PastPoint

    cfg = points("config", chosen.overrides)[0]
    point = PastPoint(chosen.run, cfg.tracking.uri)
    questions = point.questions()
    rows = judged(questions)
    if chosen.action == "export":
        _export(point, choose(rows, cfg.review.answers), chosen.file or FILE)
        return 0
    judge = {row["id"]: row["label"] for row in rows}
    if chosen.action == "import":
        _import(point, judge, {row["id"]: row["answer"] for row in questions}, chosen.file)
        return 0
    return _agreement(point, judge, cfg.review.kappa)


def _export(point: "PastPoint", picked: list, file: Path) -> None:
    from evaluation.review import LABEL, write

    if not picked:
        raise InputError(f"run {point.id}: no answer to label, as none was judged")
    write(picked, file)
    point.show(picked)
    print(
        f"{len(picked)} judged answers are in {file} and among the traces of run {point.id}. Label them there, in the"
    )
    print(f"column or in an assessment {LABEL!r}: richtig, teilweise or falsch. Then import.")


def _import(point: "PastPoint", judge: dict[str, str], answers: dict[str, str], file: Path | None) -> None:
    from evaluation.review import LABEL, Labelled, meant, read, same_answer

    source = str(file) if file else f"the traces of run {point.id}"
    given = (
        read(file) if file else {own: Labelled(meant(said, own), None) for own, said in point.assessed(LABEL).items()}
    )
    labels = {own: said.label for own, said in given.items() if own not in answers or same_answer(said, answers[own])}
    if foreign := sorted(labels.keys() - judge.keys()):
        raise InputError(f"{source}: id {foreign[0]!r} is no judged answer of run {point.id}; name its own run")
    if given and not labels:
        raise InputError(f"{source}: its {len(given)} labels are of other answers than those of run {point.id}; export")
    if not labels:
        raise InputError(f"{source}: no label; export, label the answers, then import")
    point.keep(labels, KEPT)
    if len(labels) < len(given):
        print(f"{len(given) - len(labels)} labels left out: run {point.id} gives other answers to these questions")
    print(f"{len(labels)} labels of people kept with run {point.id}; next: agreement")


def _agreement(point: "PastPoint", judge: dict[str, str], limit: float) -> int:
    from evaluation.agreement import agreement
    from pipelines.tracking import VALIDATED

    people = point.load(KEPT, "import the labels of people first")
    found = agreement(list(people.values()), [judge[own] for own in people], ("correct", "partly", "wrong"))
    valid = found.kappa >= limit
    kappa = {"judge_kappa": found.kappa, "judge_kappa_low": found.low, "judge_kappa_high": found.high}
    point.metrics({**kappa, "judge_agreement": found.observed, "judge_reviewed": found.n})
    table = {"rows": "people", "columns": "judge", "labels": found.labels, "counts": found.table}
    point.keep(table, "judge_confusion.json")
    point.tag(VALIDATED, str(valid).lower())
    print(f"{found.n} answers: agreement {found.observed:.2f}, kappa {found.kappa:.2f} (95 %: {found.low:.2f} to")
    print(f"{found.high:.2f}); the judge {'may' if valid else 'may not'} label on its own (limit {limit})")
    print("people \\ judge  " + "".join(f"{label:>9}" for label in found.labels))
    for label, counts in zip(found.labels, found.table, strict=True):
        print(f"{label:<16}" + "".join(f"{count:>9}" for count in counts))
    return 0 if valid else 1


if __name__ == "__main__":
    run(review)
