"""Documents from a folder of Markdown, HTML and plain text files."""

import logging
import unicodedata
from pathlib import Path

from rag.corpus.front_matter import split_front_matter
from rag.corpus.html import html_to_markdown
from rag.corpus.sections import plain_section, sections
from rag.errors import InputError
from rag.records import Document

logger = logging.getLogger(__name__)

SUFFIXES = (".md", ".txt", ".html", ".htm")


def load_folder(path: str) -> list[Document]:
    """Documents of a folder and the folders in it, sorted by path; hidden files are left out, other types warned about.

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
            problems.append(f"{file}: {error}")
            continue
        if (other := documents.setdefault(document.id, document)) is not document:
            remedy = "give one of them another 'id' in its front matter"
            problems.append(f"{file}: id {document.id!r} is also that of {root / other.source}; {remedy}")
    if problems:
        raise InputError("\n".join(problems))
    if not documents:
        raise InputError(f"{path}: corpus folder holds no {', '.join(SUFFIXES)} file")
    return list(documents.values())


def _files(root: Path) -> list[Path]:
    paths = (file.relative_to(root) for file in sorted(root.rglob("*"), key=_order) if file.is_file())
    visible = [file for file in paths if not any(part.startswith(".") for part in file.parts)]
    others = [file.as_posix() for file in visible if file.suffix.lower() not in SUFFIXES]
    if others:
        names = ", ".join(others[:5]) + (", ..." if len(others) > 5 else "")
        logger.warning("%s: left out %d of a kind other than %s: %s", root, len(others), ", ".join(SUFFIXES), names)
    return [root / file for file in visible if file.suffix.lower() in SUFFIXES]


def _order(file: Path) -> list[str]:
    return [_plain(part) for part in file.parts]  # macOS names files in NFD


def _load(root: Path, file: Path) -> Document:
    matter, text = split_front_matter(_read(file))
    kind = file.suffix.lower()
    title = ""
    if kind in (".html", ".htm"):
        text, title = map(
            _plain, html_to_markdown(text)
        )  # references such as &#13; and &#776; bring back what was gone
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


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
