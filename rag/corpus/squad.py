"""SQuAD JSON (Rajpurkar et al. 2016, arXiv:1606.05250): each paragraph is one document."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from rag.corpus.passages import passage
from rag.errors import InputError
from rag.jsontext import parse, read_text
from rag.records import Document


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph with its questions as they stand in the file; `document` is the id of the document it becomes."""

    document: str
    title: str
    context: str
    questions: list[object]


def load_squad(path: str) -> list[Document]:
    """The paragraphs of a SQuAD file as documents, `<article-title>-<n>`, n counting an article's paragraphs from 1.

    The text is the context in NFC; `evaluation.golden.squad` counts answer offsets accordingly. Raises InputError.
    """
    text = read_text(path)
    try:
        value = parse(text)
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}; correct the file") from None
    if not is_squad(value):
        raise InputError(f'{path}: not SQuAD JSON; expected {{"data": [{{"title": ..., "paragraphs": [...]}}]}}')
    return [passage(p.document, p.context, p.title, path) for p in paragraphs(value, path)]


def is_squad(value: object) -> bool:
    """Whether a JSON value has the outer form of a SQuAD file."""
    articles = value.get("data") if isinstance(value, dict) else None
    return isinstance(articles, list) and any(isinstance(a, dict) and "paragraphs" in a for a in articles)


def paragraphs(value: object, source: str) -> Iterator[Paragraph]:
    """The paragraphs of a value for which `is_squad` holds. Raises InputError naming the article and paragraph."""
    assert isinstance(value, dict)
    counts: Counter[str] = Counter()
    for number, article in enumerate(value["data"], 1):
        where = f"{source}, article {number}"
        if not (isinstance(article, dict) and isinstance(article.get("paragraphs"), list)):
            raise InputError(f"{where}: no list of paragraphs; correct the article")
        title = article.get("title", "")
        if not isinstance(title, str):
            raise InputError(f"{where}: the title is not text; correct it")
        slug = _slug(title)
        for position, entry in enumerate(article["paragraphs"], 1):
            if not (isinstance(entry, dict) and isinstance(context := entry.get("context"), str) and context.strip()):
                raise InputError(f"{where}, paragraph {position}: no context; give its text or take it out")
            questions = entry.get("qas", [])
            if not isinstance(questions, list):
                raise InputError(f"{where}, paragraph {position}: qas is not a list; correct it")
            counts[slug] += 1  # counted by slug: two articles of one title go on counting
            yield Paragraph(f"{slug}-{counts[slug]}", title.replace("_", " "), context, questions)


def _slug(title: str) -> str:
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", title).casefold())
    return "-".join(words) or "article"
