"""Check the judge against people: `python -m pipelines.review export --run ID --file review.csv`."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.command import run
from rag.errors import InputError

if TYPE_CHECKING:
    from pipelines.tracking import Reviews

ANSWERS = 50


def review(arguments: list[str]) -> int:
    """Exit code 0; of `agreement` 1 if the judge may not label on its own."""
    parser = argparse.ArgumentParser(prog="python -m pipelines.review", description=__doc__)
    parser.add_argument("action", choices=("export", "import", "agreement"))
    parser.add_argument("--run", required=True, help="id of a run of pipelines.evaluate or of a point of a sweep")
    parser.add_argument("--file", type=Path, default=Path("review.csv"), help="default: review.csv")
    parser.add_argument("--kappa", type=float, default=0.6, help="from here on the judge may label (default: 0.6)")
    parser.add_argument("--uri", help="MLflow store; default: MLFLOW_TRACKING_URI, or mlflow.db here")
    chosen = parser.parse_args(arguments)

    from evaluation.review import choose, judged, read, write
    from pipelines.tracking import Reviews

    store = Reviews(chosen.run, chosen.uri)
    rows = judged(store.questions())
    if chosen.action == "export":
        picked = choose(rows, ANSWERS)
        write(picked, chosen.file)
        print(f"{chosen.file}: {len(picked)} of {len(rows)} judged answers; fill in the column label, then import")
        return 0
    if chosen.action == "import":
        labels = read(chosen.file)
        if foreign := sorted(labels.keys() - {row["id"] for row in rows}):
            raise InputError(
                f"{chosen.file}: id {foreign[0]!r} is no judged answer of run {chosen.run}; name its own run"
            )
        store.keep(labels)
        print(f"{len(labels)} labels of people kept with run {chosen.run}; next: agreement")
        return 0
    return _agreement(store, {row["id"]: row["label"] for row in rows}, chosen.kappa)


def _agreement(store: "Reviews", judge: dict[str, str], limit: float) -> int:
    from evaluation.agreement import agreement

    people = store.labels()
    found = agreement(list(people.values()), [judge[own] for own in people], ("correct", "partly", "wrong"))
    valid = found.kappa >= limit
    store.log(found, valid)
    print(f"{found.n} answers: agreement {found.observed:.2f}, kappa {found.kappa:.2f} (95 %: {found.low:.2f} to")
    print(f"{found.high:.2f}); the judge {'may' if valid else 'may not'} label on its own (limit {limit})")
    print("people \\ judge  " + "".join(f"{label:>9}" for label in found.labels))
    for label, counts in zip(found.labels, found.table, strict=True):
        print(f"{label:<16}" + "".join(f"{count:>9}" for count in counts))
    return 0 if valid else 1


if __name__ == "__main__":
    run(review)
