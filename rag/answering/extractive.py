"""Answers by quoting: the sentences and table rows of the passages that stand closest to the question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from rag.errors import InputError
from rag.records import Answer, Chunk, Hit

Embed = Callable[[Sequence[str]], np.ndarray]


@dataclass(frozen=True, slots=True)
class Extractive:
    """Picks at most `sentences` statements and cites the passage of each as `[n]`; needs no language model.

    A statement scores by its cosine to the question, raised by `rank_weight / rank` of its passage, so that the
    ranking decides between statements that are alike. `embed_queries` and `embed_passages` return rows of length 1.
    """

    embed_queries: Embed
    embed_passages: Embed
    sentences: int = 4
    rank_weight: float = 0.02
    prompt_hash: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if self.sentences < 1 or self.rank_weight < 0:
            raise InputError(
                f"generator.sentences={self.sentences} must be 1 or more,"
                f" generator.rank_weight={self.rank_weight} not negative"
            )

    def __call__(self, questions: Sequence[str], passages: Sequence[Sequence[Hit]]) -> list[Answer]:
        stated = [[(hit.rank, text) for hit in hits for text in _stated(hit.chunk)] for hits in passages]
        distinct = list(dict.fromkeys(text for own in stated for _, text in own))
        if not distinct:
            return [Answer("", (), declined=True) for _ in questions]
        row = {text: i for i, text in enumerate(distinct)}
        vectors, asked = self.embed_passages(distinct), self.embed_queries(questions)
        answers = []
        for question, own in zip(asked, stated, strict=True):
            cosines = vectors[[row[text] for _, text in own]] @ question
            answers.append(self._pick(own, cosines + self.rank_weight / np.array([rank for rank, _ in own])))
        return answers

    def _pick(self, stated: Sequence[tuple[int, str]], scores: np.ndarray) -> Answer:
        chosen: dict[str, int] = {}
        for i in np.argsort(-scores, kind="stable"):
            if len(chosen) == self.sentences:
                break
            chosen.setdefault(stated[i][1], stated[i][0])
        text = " ".join(f"{statement} [{rank}]" for statement, rank in chosen.items())
        return Answer(text, tuple(dict.fromkeys(chosen.values())), declined=not chosen)


@lru_cache(maxsize=20_000)  # the points of a sweep quote the same passages
def _stated(chunk: Chunk) -> tuple[str, ...]:
    """The chunk's statements, read below the table header that its context repeats if it starts inside a table."""
    header = [line for line in chunk.context.split("\n") if line.lstrip().startswith("|")]
    return statements("\n".join([*header, chunk.text]))


@lru_cache(maxsize=20_000)  # dry_run reads the documents for every way to cut them
def statements(text: str) -> tuple[str, ...]:
    """The sentences, list items and table rows of Markdown text, without markup lines and headings.

    A table row is read with its header: `Norwegen: Tagessatz 75 EUR`.
    """
    from simplemma.sentences import split_sentences

    found: list[str] = []
    table: list[list[str]] = []
    paragraph: list[str] = []

    def flush() -> None:
        found.extend(split_sentences(" ".join(paragraph), lang="de"))
        found.extend(_rows(table))
        paragraph.clear()
        table.clear()

    for line in (line.strip() for line in text.split("\n")):
        if line.startswith("|") != bool(table) or not line or line[0] in "#>-*+" or line[:1].isdigit():
            flush()
        if line.startswith("|"):
            table.append([cell.strip() for cell in line.strip("|").split("|")])
        elif line and not line.startswith("#"):
            paragraph.append(line.lstrip("->*+ "))
    flush()
    return tuple(statement for statement in found if any(character.isalnum() for character in statement))


def _rows(table: list[list[str]]) -> list[str]:
    is_header = len(table) > 1 and all(not cell.strip(":- ") for cell in table[1])
    if not is_header:
        return [", ".join(cell for cell in row if cell) for row in table]
    names = table[0]
    return [
        f"{row[0]}: "
        + ", ".join(f"{name} {cell}".strip() for name, cell in zip(names[1:], row[1:], strict=False) if cell)
        for row in table[2:]
    ]
