"""The chat generator, over HTTP against a scripted double of an endpoint."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripted import Response, Script, Scripted, in_turn, says, scripted

from rag.answering import Chat, answer_all
from rag.cache import Cache
from rag.cached import Progress
from rag.chat import Endpoint, Failure, Reply
from rag.chat.reply import read_reply
from rag.errors import InputError
from rag.records import NO_CALL, Answer, Chunk, Hit, Usage

CANARY = "sk-canary-4711"


def hits(*texts: str) -> list[Hit]:
    return [Hit(Chunk(f"d{n}", 0, len(text), text, f"d{n}#s0"), n, 1.0) for n, text in enumerate(texts, 1)]


TWO = hits("Leitern werden alle zwei Jahre geprüft.", "Kessel alle fünf Jahre.")


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    own = Cache(tmp_path / "cache.sqlite")
    yield own
    own.close()


def chat(
    cache: Cache, server: Scripted, language: str = "de", progress: Progress | None = None, **settings: Any
) -> Chat:
    endpoint = Endpoint(**{"model": "scripted", "base_url": server.url, "retries": 0, **settings})
    return Chat(endpoint, cache, language, progress)


def ask(cache: Cache, script: Script, **settings: Any) -> tuple[Answer, Scripted]:
    """One question with two passages, through both guards."""
    with scripted(script) as server:
        (answer,) = answer_all(chat(cache, server, **settings), ["Wie oft?"], [TWO], np.array([1.0]), 0.0)
        return answer, server


@pytest.mark.parametrize(
    ("said", "text", "citations", "declined"),
    [
        ("Alle zwei Jahre [1].", "Alle zwei Jahre [1].", (1,), False),
        (" A [2]. B [1][2].\n", "A [2]. B [1][2].", (2, 1), False),
        ("A [1, 2]. B [ 2;1 ].", "A [1][2]. B [2][1].", (1, 2), False),
        ("NOT_FOUND", "NOT_FOUND", (), True),
        (' "NOT_FOUND." ', '"NOT_FOUND."', (), True),
        ("NOT_FOUND, siehe [1]", "NOT_FOUND, siehe [1]", (), True),
        ("Alle zwei Jahre.", "Alle zwei Jahre.", (), True),  # cites nothing
        ("Alle zwei Jahre [3].", "Alle zwei Jahre [3].", (), True),  # there are two passages
        ("Alle zwei Jahre [1][0].", "Alle zwei Jahre [1][0].", (), True),
        ("Alle zwei Jahre [eins].", "Alle zwei Jahre [eins].", (), True),
    ],
)
def test_what_is_said_becomes_an_answer_or_a_refusal(
    cache: Cache, said: str | None, text: str, citations: tuple[int, ...], declined: bool
) -> None:
    answer, _ = ask(cache, lambda request: says(said))
    assert answer == Answer(text, citations, declined, usage=Usage(100, 10))


def test_refusals_decline_and_what_was_cut_off_is_an_error(cache: Cache) -> None:
    refused, _ = ask(cache, lambda request: says(None, refusal="Das geht nicht."))
    assert refused == Answer("Das geht nicht.", (), True, usage=Usage(100, 10))
    filtered, _ = ask(cache, lambda request: says("Alle [1]", finish="content_filter"))
    assert filtered.declined
    for said in (None, "", " \n"):
        silent, _ = ask(cache, lambda request, said=said: says(said))
        assert silent.error == "the model said nothing (finish_reason=stop)"
    cut, _ = ask(cache, lambda request: says("Alle zwei [1]", finish="length"))
    assert (cut.text, cut.declined, cut.usage) == ("", False, Usage(100, 10))
    assert "cut off" in cut.error
    again, server = ask(cache, lambda request: says("Alle zwei Jahre [1]"))
    assert (again.error, len(server.requests)) == ("", 1)  # not kept


def test_tokens_that_were_not_said_are_not_known(cache: Cache) -> None:
    answer, _ = ask(cache, lambda request: says("Ja [1]", usage=None))
    assert (answer.citations, answer.usage) == ((1,), None)


@pytest.mark.parametrize(
    ("response", "error"),
    [
        (Response("{"), "no chat completion: {"),
        (Response("<html>Anmeldung</html>", headers={"content-type": "text/html"}), "no chat completion: <html>"),
        (Response(""), "no chat completion:"),
        (Response("null"), "no chat completion: null"),
        (Response("[]"), "no chat completion: []"),
        (Response('{"choices": []}'), 'no chat completion: {"choices": []}'),
        (Response('{"choices": [{}]}'), "no chat completion"),
        (Response('{"choices": [{"message": null}]}'), "no chat completion"),
        (Response('{"choices": [{"message": {"content": ["a"]}}]}'), "no chat completion"),
        (Response('{"choices": [{"message": {"content": "\\ud83d"}}]}'), "no chat completion"),
        (Response('{"error": {"message": "no such model"}}', 404), "HTTP 404: no such model"),
        (Response("unglücklich\nkaputt", 500), "HTTP 500: unglücklich kaputt"),
        (replace(says("Ja [1]"), cut=10), "no connection: "),
    ],
)
def test_a_call_that_brings_no_reply_is_an_error_in_one_line_and_not_cached(
    cache: Cache, response: Response, error: str
) -> None:
    answer, _ = ask(cache, lambda request: response)
    assert (answer.text, answer.citations, answer.declined, answer.usage) == ("", (), False, None)
    assert answer.error.startswith(error)
    assert "\n" not in answer.error
    again, server = ask(cache, lambda request: says("Ja [1]"))
    assert (again.error, len(server.requests)) == ("", 1)


def test_a_slow_server(cache: Cache) -> None:
    slow = replace(says("Ja [1]"), delay=1.5)
    answer, server = ask(cache, lambda request: slow, timeout=0.3, retries=1)
    assert (answer.error, answer.declined, len(server.requests)) == ("timed out", False, 2)


def test_nobody_listens(cache: Cache) -> None:
    with scripted(in_turn(says(""))) as server:
        url = server.url
    (answer,) = Chat(Endpoint("m", url, retries=1), cache)(["?"], [TWO])
    assert answer.error.startswith("no connection: ")


def test_too_many_requests_are_sent_again_when_the_server_says_so(cache: Cache) -> None:
    busy = Response("{}", 429, {"retry-after": "0.7"})
    answer, server = ask(cache, in_turn(busy, says("Ja [1]")), retries=1)
    assert answer.citations == (1,)
    assert server.times[1] - server.times[0] >= 0.7


def test_server_faults_are_tried_again_with_growing_waits_and_only_so_often(cache: Cache) -> None:
    answer, server = ask(cache, in_turn(Response("{}", 500), Response("{}", 503), says("Ja [1]")), retries=2)
    assert (answer.citations, len(server.requests)) == ((1,), 3)
    first, second = np.diff(server.times)
    assert first >= 0.5 * 0.75  # the client waits 0.5, 1, 2 ... seconds, less up to a quarter
    assert second >= 1.0 * 0.75
    failed, server = ask(cache, in_turn(Response("{}", 500)), retries=1, language="en")
    assert (failed.error[:8], len(server.requests)) == ("HTTP 500", 2)


def test_a_wait_may_be_a_date_and_one_that_is_too_long_is_not_waited_for(cache: Cache) -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=3), usegmt=True)  # cut to whole seconds
    busy = Response("{}", 429, {"retry-after": soon})
    answer, server = ask(cache, in_turn(busy, says("Ja [1]")), retries=1)
    assert answer.citations == (1,)
    assert server.times[1] - server.times[0] > 1
    failed, server = ask(
        cache, in_turn(Response("{}", 429, {"retry-after": "121"}), says("Ja [1]")), retries=1, language="en"
    )
    assert (failed.error[:8], len(server.requests)) == ("HTTP 429", 1)


@pytest.mark.parametrize("said", ["bald", "nan", "-1", "0", "Wed, 21 Oct 2015 07:28:00 GMT", "21 Oct 2015 07:28:00"])
def test_a_wait_that_says_nothing_is_half_a_second(cache: Cache, said: str) -> None:
    answer, server = ask(cache, in_turn(Response("{}", 503, {"retry-after": said}), says("Ja [1]")), retries=1)
    assert answer.citations == (1,)
    assert 0.5 * 0.75 <= server.times[1] - server.times[0] < 2


def test_a_proxy_is_taken_from_the_environment(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(lambda request: says("Ja [1]")) as server:  # answers 404 to the full URL that a proxy gets
        monkeypatch.setenv("http_proxy", server.url.replace("http://", f"http://user:{CANARY}@").removesuffix("/v1"))
        asked = Chat(Endpoint("m", "http://model.invalid/v1", retries=0), cache)
        assert asked(["?"], [TWO])[0].error.startswith("HTTP 404")
        monkeypatch.setenv("no_proxy", "model.invalid")
        direct = asked(["?"], [TWO])[0].error
        assert direct.startswith("no connection")
        assert len(server.requests) == 1


def test_nothing_is_paid_for_twice_and_one_failure_is_one_row(cache: Cache) -> None:
    questions = ["a", "b", "a", "kaputt"]
    with scripted(lambda r: Response("{}", 400) if "kaputt" in r.text else says("Ja [1]")) as server:
        done: list[int] = []
        answers = chat(cache, server, progress=done.append)(questions, [TWO] * 4)
        assert [bool(answer.error) for answer in answers] == [False, False, False, True]
        assert (len(server.requests), sum(done)) == (3, 4)
        again = chat(cache, server)(questions, [TWO] * 4)
        assert again[:3] == answers[:3]
        assert len(server.requests) == 4  # the failed one was asked again
        assert chat(cache, server)(questions[:3], [TWO] * 3) == answers[:3]
        assert len(server.requests) == 4


@pytest.mark.parametrize("other", [{"parameters": {"temperature": 1.0}}, {"language": "en"}, {"model": "other"}])
def test_another_model_parameter_or_prompt_is_another_call(cache: Cache, other: dict[str, Any]) -> None:
    with scripted(lambda request: says("Ja [1]")) as server:
        chat(cache, server)(["a"], [TWO])
        chat(cache, server, **other)(["a"], [TWO])
        assert len(server.requests) == 2


def test_settings_that_do_not_change_the_reply_do_not_change_the_call(cache: Cache) -> None:
    with scripted(lambda request: says("Ja [1]")) as server:
        chat(cache, server)(["a"], [TWO])
        chat(cache, server, timeout=5.0, retries=3, concurrency=2)(["a"], [TWO])
        assert len(server.requests) == 1


def test_at_most_so_many_calls_at_once(cache: Cache) -> None:
    answer = replace(says("Ja [1]"), delay=0.1)
    with scripted(lambda request: answer) as server:
        chat(cache, server, concurrency=3)([str(n) for n in range(12)], [TWO] * 12)
        assert (server.most_at_once, len(server.requests)) == (3, 12)


def test_replies_are_kept_although_the_command_is_stopped(cache: Cache) -> None:
    def stop(count: int) -> None:
        if len(server.requests) == 2:
            raise KeyboardInterrupt

    with scripted(lambda request: says("Ja [1]")) as server:
        with pytest.raises(KeyboardInterrupt):
            chat(cache, server, concurrency=1, progress=stop)(["a", "b", "c"], [TWO] * 3)
        chat(cache, server)(["a", "b", "c"], [TWO] * 3)
        assert len(server.requests) == 3


def test_weak_passages_are_not_sent(cache: Cache) -> None:
    with scripted(lambda request: says("Ja [1]")) as server:
        answers = answer_all(chat(cache, server), ["a", "b"], [TWO, TWO], np.array([0.1, 0.9]), 0.5)
        assert answers[0] == Answer("", (), True, usage=NO_CALL)
        assert len(server.requests) == 1


def test_the_request_holds_model_parameters_and_key(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEIN_SCHLUESSEL", CANARY)
    _, server = ask(cache, in_turn(says("Ja [1]")), api_key_env="MEIN_SCHLUESSEL", parameters={"max_tokens": 7})
    (request,) = server.requests
    assert request.authorization == f"Bearer {CANARY}"
    assert {**request.body, "messages": 0} == {"max_tokens": 7, "model": "scripted", "messages": 0}


def test_a_placeholder_for_a_key_may_be_part_of_an_answer(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "1")
    answer, _ = ask(cache, lambda request: says("Ja [1]"))
    assert answer.citations == (1,)


def test_no_key_is_needed(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    answer, _ = ask(cache, in_turn(says("Ja [1]")))
    assert answer.citations == (1,)


@pytest.mark.parametrize("status", [0, 200, 401, 500])
def test_a_key_that_the_server_repeats_goes_nowhere(
    cache: Cache, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    caplog.set_level(0)
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    answer, server = ask(
        cache,
        lambda request: (
            Response(f'{{"error": "{request.authorization}"}}', status)
            if status
            else says(f"{request.authorization} [1]")
        ),
    )
    assert CANARY in server.requests[0].authorization
    assert "(API key)" in answer.error + answer.text
    assert CANARY not in repr(answer) + caplog.text
    assert CANARY.encode() not in b"".join(file.read_bytes() for file in cache.path.parent.iterdir())


@pytest.mark.parametrize(
    "settings",
    [
        {"api_key_env": CANARY},
        {"api_key_env": "gsk_canary"},
        {"base_url": f"https://user:{CANARY}@host/v1"},
        {"base_url": f"https://host/v1?api-key={CANARY}"},
        {"base_url": "host/v1"},
        {"timeout": 0},
        {"retries": -1},
        {"concurrency": 0},
    ],
)
def test_settings_that_make_no_sense_or_carry_a_secret(settings: dict[str, Any]) -> None:
    with pytest.raises(InputError) as raised:
        Endpoint(**{"model": "m", "base_url": "http://host/v1", **settings})
    assert "canary" not in str(raised.value)


def test_a_language_without_a_prompt(cache: Cache) -> None:
    with pytest.raises(InputError, match="language=fr: must be one of de, en"):
        Chat(Endpoint("m", "http://host/v1"), cache, "fr")


def test_a_key_that_cannot_be_one(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "schlüssel")
    with pytest.raises(InputError, match="OPENAI_API_KEY holds characters"):
        Chat(Endpoint("m", "http://127.0.0.1:9/v1"), cache)(["a"], [TWO])


KEY = "sk-canary/4711"


@pytest.mark.parametrize(
    "response",
    [
        Response("[" * 200_000, 400),
        Response('{"error":' * 100_000, 400),
        Response("[" * 200_000),
        Response("", 307, headers={"location": "http://127.0.0.1:9/v1/chat/completions"}),
    ],
)
def test_a_hostile_body_is_a_failure_of_its_question_alone(response: Response, tmp_path: Path) -> None:
    with scripted(lambda request: response) as server:
        (found,) = Endpoint("m", server.url, retries=0).ask(
            [[{"role": "user", "content": "?"}]], Cache(tmp_path / "c"), lambda reply: reply
        )
    assert isinstance(found, Failure)
    assert len(found.error) <= 300


@pytest.mark.parametrize("escaped", [KEY, KEY.replace("/", "\\/"), KEY.replace("s", "\\u0073")])
def test_a_key_that_is_sent_back_with_escapes_is_not_kept(
    escaped: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with scripted(lambda request: Response(says(KEY).body.replace(KEY, escaped))) as server:
        (found,) = Endpoint("m", server.url).ask(
            [[{"role": "user", "content": "?"}]], Cache(tmp_path / "c"), lambda reply: reply
        )
    assert isinstance(found, Reply)
    assert found.text == "(API key)"


@pytest.mark.parametrize("tokens", [(10**400, 1), (-1, 1)])
def test_a_count_of_tokens_that_cannot_be_is_unknown(tokens: tuple[int, int]) -> None:
    assert read_reply(says("x", usage=tokens).body).usage is None


@pytest.mark.parametrize("wrong", [{"model": None}, {"model": 3}, {"model": ""}, {"base_url": "http://h:99999/v1"}])
def test_a_model_has_a_name_and_a_server_a_port(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"model=|base_url must"):
        Endpoint(**{"model": "m", "base_url": "http://h/v1", **wrong})
