import pytest

from rag.corpus.front_matter import FrontMatter, split_front_matter
from rag.errors import InputError


def test_known_keys_are_read_as_text_and_the_rest_is_ignored() -> None:
    text = "---\nid: 007\nTitle: 2026\nurl: https://a.example\nGroups: no\ndescription: ...\n---\nText\n"
    assert split_front_matter(text) == (FrontMatter("007", "2026", "https://a.example", ("no",)), "Text\n")


def test_a_title_of_several_lines_becomes_one() -> None:
    assert split_front_matter("---\ntitle: |\n  Urlaub und\n  Antrag\n---\n")[0].title == "Urlaub und Antrag"


@pytest.mark.parametrize("text", ["Text", "---\n\nText\n---\n", "---\nText", "----\na: b\n----\n", " ---\na: b\n---\n"])
def test_text_without_front_matter(text: str) -> None:
    assert split_front_matter(text) == (FrontMatter(), text)


@pytest.mark.parametrize("text", ["---\n---\nText", "---\n# Kommentar\n---\nText", "---\na: b\n...\nText"])
def test_front_matter_without_known_keys(text: str) -> None:
    assert split_front_matter(text) == (FrontMatter(), "Text")


@pytest.mark.parametrize(
    ("yaml", "complaint"),
    [
        ("title: Urlaub: Antrag", r"not valid YAML \(line 2\): mapping values .*quote"),
        ("a: [1", "not valid YAML"),
        ("a: \x07", "not valid YAML"),
        ("nur Text", "must be a mapping"),
        ("- a", "must be a mapping"),
        ("id: [a]", "'id' must be text"),
        ("title: {a: b}", "'title' must be text"),
        ("url:", "'url' must be text"),
        # What does not name a group must not open the document to everybody.
        ("groups:", "'groups' must be a name or a list"),
        ("groups: []", "'groups' must be a name or a list"),
        ("groups: [a, [b]]", "'groups' must be a name or a list"),
        ("groups: {a: b}", "'groups' must be a name or a list"),
        ("groups: a,", "'groups' must be a name or a list"),
        ("groups: personal\ngroups: alle", "has 'groups' more than once"),
        ("groups: personal\nGroups: alle", "has 'groups' more than once"),
        ("group: personal", "'group' closes nothing; write 'groups'"),
        ("Gruppen: [personal]", "'gruppen' closes nothing; write 'groups'"),
    ],
)
def test_front_matter_that_cannot_be_used(yaml: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as error:
        split_front_matter(f"---\n{yaml}\n---\nText\n")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "---\ngroups: [personal]\n# Gehalt\nText\n",  # never closed
        "\n---\ngroups: [personal]\n---\nText\n",
        " ---\ntitle: Gehalt\nGroups : personal\n---\n",
    ],
)
def test_front_matter_that_would_open_a_closed_document_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="'groups' must begin in line 1"):
        split_front_matter(text)


def test_yaml_of_any_depth_is_one_line() -> None:
    with pytest.raises(InputError, match="nested too deeply"):
        split_front_matter(f"---\na: {'[' * 3000}\n---\nText")


@pytest.mark.parametrize("written", ["a, b", "a;b", "a | b", "[a, b]"])
def test_groups_are_listed_as_in_golden_sets(written: str) -> None:
    front_matter, _ = split_front_matter(f"---\ngroups: {written}\n---\nText\n")
    assert front_matter.groups == ("a", "b")
