"""Where prose may be cut: before paragraphs, lines, sentences, words, tokens."""

import re

from rag.chunking.atoms import Atoms

PARAGRAPH = re.compile(r"\n\s*\n\s*")
LINE = re.compile(r"\n\s*")
# Two letters before the stop: neither "z. B." nor "3. Oktober" nor "§ 5 Abs. 2" ends a sentence.
SENTENCE = re.compile(r"(?<=[^\W\d_]{2}[.!?…])[\"“«»)]*\s++(?=\W*+[A-ZÄÖÜ])")
WORD = re.compile(r"\s+")


def prose_levels(text: str, atoms: Atoms) -> list[list[int]]:
    """Allowed cuts from the coarsest kind to the finest, each sorted."""
    kinds = (PARAGRAPH, LINE, SENTENCE, WORD)
    found = [sorted({atoms.cut(match.end()) for match in kind.finditer(text)}) for kind in kinds]
    return [*found, list(range(len(atoms)))]
