"""Documents from a folder of Markdown, HTML and plain text files."""

import logging
import unicodedata
from pathlib import Path

from rag.corpus.front_matter import split_front_matter
from rag.corpus.sections import plain_section, sections
from rag.errors import InputError
from rag.records import Document

logger = logging.getLogger(__name__)

SUFFIXES = (".md", ".txt", ".html", ".htm")


def load_folder(path: str) -> list[Document]:
    """Documents of a folder and the folders in it, sorted by path; hidden files are left out.

    Files of other types and links to folders or to nothing are left out with a warning.

    Line ends become \\n and characters NFC, nothing else of the text changes. Id: front matter, else file name without
    ending. Title: front matter, else HTML title, else first heading, else as the id. Plain text is one section,
    whatever it holds.

    Raises:
        InputError: one line for each file that cannot be used, or for the folder.
    """
    root = Path(path)
    if not root.is_dir():
        problem = "is a file, not a folder: name the folder it is in" if root.exists() else "does not exist"
        raise InputError(f"{path}: corpus folder {problem}")
    files = _files(root)
    documents: dict[str, Document] = {}
    problems: list[str] = []
    for file in files:
        try:
            document = _load(root, file)
        except InputError as error:
            problems.append(f"{_shown(file)}: {error}")
            continue
        if (other := documents.setdefault(document.id, document)) is not document:
            remedy = "give one of them another 'id' in its front matter"
            problems.append(f"{_shown(file)}: id {document.id!r} is also that of {root / other.source}; {remedy}")
    if problems:
        raise InputError("\n".join(problems))
    if not documents:
        raise InputError(f"{path}: corpus folder holds no {', '.join(SUFFIXES)} file")
    return list(documents.values())


def _files(root: Path) -> list[Path]:
    paths = (file.relative_to(root) for file in sorted(root.rglob("*"), key=_order))
    entries = [file for file in paths if not any(part.startswith(".") for part in file.parts)]
    visible = [file for file in entries if (root / file).is_file()]
    links = [file.as_posix() for file in entries if (root / file).is_symlink() and file not in visible]
    if links:
        names = ", ".join(links[:5]) + (", ..." if len(links) > 5 else "")
        logger.warning("%s: left out %d links to folders or to nothing: %s", root, len(links), names)
    others = [file.as_posix() for file in visible if file.suffix.lower() not in SUFFIXES]
    if others:
        names = ", ".join(others[:5]) + (", ..." if len(others) > 5 else "")
        logger.warning("%s: left out %d of a kind other than %s: %s", root, len(others), ", ".join(SUFFIXES), names)
    return [root / file for file in visible if file.suffix.lower() in SUFFIXES]


def _order(file: Path) -> list[str]:
    return [_plain(part) for part in file.parts]  # macOS names files in NFD


def _load(root: Path, file: Path) -> Document:
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in str(file.relative_to(root))):
        raise InputError("its name holds a control character or is not UTF-8; rename it")
    matter, text = split_front_matter(_read(file))
    kind = file.suffix.lower()
    title = ""
    if kind in (".html", ".htm"):
        from rag.corpus.html import html_to_markdown  # its parser takes a while to import

        # References such as &#13; and &#776; bring back what was gone.
        text, title = map(_plain, html_to_markdown(text))
    if not text.strip():
        raise InputError("has no text; fill it or remove it")
    identity = matter.id or _plain(file.stem)
    parts = (plain_section(identity, text),) if kind == ".txt" else sections(identity, text)
    headings = (part.title for part in parts if part.title)
    return Document(
        id=identity,
        title=matter.title or title or next(headings, identity),
        text=text,
        sections=parts,
        source=file.relative_to(root).as_posix(),
        url=matter.url,
        groups=matter.groups,
    )


def _read(file: Path) -> str:
    try:
        return _plain(file.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 (byte {error.start}); save it as UTF-8") from None


def _shown(file: Path) -> str:
    """The path in one line."""
    return str(file).replace("\r", "\\r").replace("\n", "\\n")


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
