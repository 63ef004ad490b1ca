from rag.corpus.html import html_to_markdown
from rag.corpus.sections import sections


def test_headings_tables_and_code_become_markdown() -> None:
    html = (
        "<html><head><title> Reise\n kosten </title><style>p {}</style></head><body><nav>Start</nav>"
        "<h1>Reise<b>kosten</b></h1><p>nach BRKG_2005 * 2</p><ul><li>eins</li></ul><pre># Code</pre>"
        "<table><tr><th>Dauer</th><th>a|b</th></tr><tr><td>8</td><td>14</td></tr></table><script>x</script></body></html>"
    )
    expected = (
        "# Reise**kosten**\n\nnach BRKG_2005 * 2\n\n- eins\n\n```\n# Code\n```\n\n"
        "| Dauer | a\\|b |\n| --- | --- |\n| 8 | 14 |"
    )
    assert html_to_markdown(html) == (expected, "Reise kosten")


def test_text_that_looks_like_markdown_is_no_heading_and_swallows_none() -> None:
    for text in ("# 5", "x<br># 5", "x<br>---", "x<br>===", "```", "~~~", "&lt;!-- x", "&lt;pre&gt;", "- # 5"):
        markdown, _ = html_to_markdown(f"<p>{text}</p><h2>Titel</h2><p>x</p>")
        assert [section.title for section in sections("d", markdown) if section.path] == ["Titel"], text
