"""Check or lock a golden set: `python -m pipelines.golden check --corpus FOLDER --golden FILE`."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib import import_module

from rag.errors import InputError
from rag.records import Document


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0: nothing unusable; 1: the report lists unusable records or references; 2: input cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m pipelines.golden", description=__doc__)
    parser.add_argument("action", choices=("check", "lock"), help="print the report, or write <golden>.lock.json")
    parser.add_argument("--golden", required=True, help="file or BEIR folder; the format is told by its content")
    parser.add_argument("--corpus", required=True, help="the documents that it refers to")
    parser.add_argument("--corpus-format", choices=("folder", "squad", "beir"), default="folder")
    parser.add_argument("--split", default="test", help="the qrels of a BEIR folder (default: test)")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    chosen = parser.parse_args(argv)
    try:
        documents = _documents(chosen.corpus_format, chosen.corpus)
        if chosen.action == "lock":
            return _lock(chosen.golden, chosen.split, documents)
        return _check(chosen.golden, chosen.split, documents, chosen.json)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2


def _documents(corpus_format: str, path: str) -> list[Document]:
    load = getattr(import_module(f"rag.corpus.{corpus_format}"), f"load_{corpus_format}")
    documents: list[Document] = load(path)
    return documents


def _check(golden: str, split: str, documents: list[Document], as_json: bool) -> int:
    from evaluation.golden import try_load
    from evaluation.golden.check import check
    from evaluation.golden.lock import read_lock
    from evaluation.golden.report import as_text

    report = check(try_load(golden, split), documents, read_lock(golden))
    print(json.dumps(asdict(report), ensure_ascii=False, indent=2) if as_json else as_text(report))
    return 1 if report.findings else 0


def _lock(golden: str, split: str, documents: list[Document]) -> int:
    from evaluation.evidence import resolve
    from evaluation.golden import load
    from evaluation.golden.lock import locked_texts, write_lock

    questions = load(golden, split)
    lock = locked_texts(questions, resolve(questions, documents), documents)
    print(f"{write_lock(golden, lock)}: {len(lock)} questions locked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
