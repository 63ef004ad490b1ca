"""One hash for everything of a corpus that answers depend on."""

import hashlib
import json
from collections.abc import Iterable

from rag.records import Document


def corpus_hash(documents: Iterable[Document]) -> str:
    """SHA-256 (hex) over ids, texts, titles, urls, groups and section starts, whatever order the documents come in."""
    records = sorted(
        [d.id, d.text, d.title, d.url, sorted(d.groups), [section.start for section in d.sections]] for d in documents
    )
    return hashlib.sha256(json.dumps(records).encode()).hexdigest()
