"""What a file may say about itself in a YAML block at its top."""

import re
from dataclasses import dataclass

import yaml

from rag.errors import InputError

# As in Pandoc: a `---` with a blank line below it is a ruler, not front matter.
BLOCK = re.compile(r"\A---[ \t]*\n(?![ \t]*\n)(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)

MEANT_GROUPS = {"group", "gruppe", "gruppen", "access_groups", "zugriffsgruppen"}

# What was meant to close a document to most people must not be read as its text.
BROKEN = re.compile(r"\A\s*---[ \t]*\n(?:[^\n]*\S[^\n]*\n)*?groups[ \t]*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The keys that are known, written in any case (`Groups` must not open a document to everybody). "": not given."""

    id: str = ""
    title: str = ""
    url: str = ""
    groups: tuple[str, ...] = ()


def split_front_matter(text: str) -> tuple[FrontMatter, str]:
    """Front matter and the text below it. Scalars are read as text (`id: 007`). InputError does not name the file."""
    block = BLOCK.match(text)
    if block is None:
        if BROKEN.match(text):
            raise InputError("front matter with 'groups' must begin in line 1 and end with a line of its own: ---")
        return FrontMatter(), text
    try:
        loader = yaml.BaseLoader(block[1])  # builds nothing but str, list and dict
        node = loader.get_single_node()
        values = loader.construct_document(node) if node else None
    except yaml.YAMLError as error:
        reason = " ".join(str(getattr(error, "problem", None) or error).split())
        mark = getattr(error, "problem_mark", None)
        line = f" (line {mark.line + 2})" if mark else ""
        raise InputError(f"front matter is not valid YAML{line}: {reason}; quote values that contain ': '") from None
    except RecursionError:
        raise InputError("front matter is nested too deeply; give plain values") from None
    if values is None:
        return FrontMatter(), text[block.end() :]
    if not isinstance(node, yaml.MappingNode):
        raise InputError("front matter must be a mapping of keys to values, such as 'title: Urlaub'")
    written = [str(key.value).lower() for key, _ in node.value]
    if twice := [key for key in written if written.count(key) > 1]:
        raise InputError(f"front matter has {twice[0]!r} more than once; keep one")
    known = {str(key).lower(): value for key, value in values.items()}
    if wrong := MEANT_GROUPS & known.keys():
        raise InputError(f"front matter {wrong.pop()!r} closes nothing; write 'groups'")
    fields = {key: _text(key, known[key]) for key in ("id", "title", "url") if key in known}
    groups = _groups(known["groups"]) if "groups" in known else ()
    return FrontMatter(**fields, groups=groups), text[block.end() :]


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"front matter {key!r} must be text; give it a value or leave the key out")
    return " ".join(value.split())


def _groups(value: object) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else re.split(r"[|;,]", value) if isinstance(value, str) else [value]
    names = tuple(name.strip() for name in listed if isinstance(name, str) and name.strip())
    if not names or len(names) < len(listed):
        raise InputError("front matter 'groups' must be a name or a list of names; leave it out to let everybody read")
    return names
