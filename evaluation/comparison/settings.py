"""Which axes a set of runs has, from their flat parameters."""

from collections.abc import Mapping, Sequence


def axes(params: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The settings that differ between the runs, under the same keys for every run.

    A section's name (`reranker`) says what fills it. Its keys (`reranker.depth`) are axes of their own unless the name
    decides them or they decide the name; a key that not every choice has is written behind the name.
    """
    keys = dict.fromkeys(key for own in params for key in own)
    varied = [key for key in keys if len({own.get(key) for own in params}) > 1]
    columns = {key: [own.get(key) for own in params] for key in varied}
    names = {key: list(column) for key, column in columns.items() if "." not in key}
    for key in varied:
        section = key.partition(".")[0]
        if section == key or section not in columns or _decides(columns[section], columns[key]):
            continue
        if None in columns[key] or _decides(columns[key], columns[section]):
            parts = zip(names[section], columns[key], strict=True)
            names[section] = [name if own is None else f"{name}, {key.partition('.')[2]} {own}" for name, own in parts]
            columns[key] = names[section]
    kept = {
        key: names.get(key, column)
        for key, column in columns.items()
        if key in names or (key.partition(".")[0] not in names) or not _decides(names[key.partition(".")[0]], column)
    }
    return [{key: str(column[row]) for key, column in kept.items()} for row in range(len(params))]


def _decides(one: Sequence[str | None], other: Sequence[str | None]) -> bool:
    """Whether runs that agree in `one` agree in `other`."""
    return len(set(zip(one, other, strict=True))) == len(set(one))
