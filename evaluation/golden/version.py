"""The version of a golden set is the hash of its content."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict

from evaluation.records import Question


def golden_hash(questions: Iterable[Question]) -> str:
    """SHA-256 (hex) of what is measured: every field but the metadata; the order of questions does not matter."""
    return hashlib.sha256("\n".join(sorted(map(_canonical, questions))).encode()).hexdigest()


def _canonical(question: Question) -> str:
    fields = asdict(question)
    del fields["metadata"]
    fields["groups"] = sorted(fields["groups"])
    fields["references"] = sorted(json.dumps(reference, sort_keys=True) for reference in fields["references"])
    return json.dumps(fields, sort_keys=True)
