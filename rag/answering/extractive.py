"""Answers by quoting: the sentences and table rows of the passages that stand closest to the question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rag.records import Answer, Hit

Embed = Callable[[Sequence[str]], np.ndarray]


@dataclass(frozen=True, slots=True)
class Extractive:
    """Picks at most `sentences` statements and cites the passage of each as `[n]`; needs no language model.

    A statement scores by its cosine to the question, raised by `rank_weight / rank` of its passage, so that the
    ranking decides between statements that are alike. A further statement is added only when it comes within `margin`
    of the best. `embed_queries` and `embed_passages` return rows of length 1.
    """

    embed_queries: Embed
    embed_passages: Embed
    sentences: int = 3
    margin: float = 0.03
    rank_weight: float = 0.02

    def __call__(self, questions: Sequence[str], passages: Sequence[Sequence[Hit]]) -> list[Answer]:
        stated = [[(hit.rank, text) for hit in hits for text in statements(hit.chunk.text)] for hits in passages]
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
            if len(chosen) == self.sentences or scores[i] < scores.max() - self.margin:
                break
            chosen.setdefault(stated[i][1], stated[i][0])
        text = " ".join(f"{statement} [{rank}]" for statement, rank in chosen.items())
        return Answer(text, tuple(dict.fromkeys(chosen.values())), declined=not chosen)


def statements(text: str) -> list[str]:
    """The sentences, list items and table rows of Markdown text, without markup lines and headings.

    A table row is read with its header: `Norwegen: Tagessatz 75 EUR`.
    """
    from simplemma.sentences import split_sentences

    found: list[str] = []
    header: list[str] = []
    paragraph: list[str] = []

    def flush() -> None:
        found.extend(split_sentences(" ".join(paragraph), lang="de"))
        paragraph.clear()

    for line in (line.strip() for line in text.split("\n")):
        if line.startswith("|"):
            flush()
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if all(not cell.strip(":- ") for cell in cells):
                continue
            if not header:
                header = cells
            else:
                found.append(_row(header, cells))
            continue
        header = []
        if not line or line[0] in "#>-*+" or line[:1].isdigit():
            flush()
        if line and not line.startswith("#") and line.strip("-=*_`~"):
            paragraph.append(line.lstrip("->*+ "))
    flush()
    return [statement for statement in found if any(character.isalnum() for character in statement)]


def _row(header: Sequence[str], cells: Sequence[str]) -> str:
    named = [f"{name} {cell}".strip() for name, cell in zip(header[1:], cells[1:], strict=False) if cell]
    return f"{cells[0]}: " + ", ".join(named)
