"""RAGAS with the installed dependencies, on the wire, against a scripted server."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from openai import AsyncOpenAI
from scripted import Response, says, scripted
from scripted_ragas import REPLIES, asked_for, replying

from evaluation.judges import Case
from evaluation.judging import RagasJudge
from evaluation.judging.ragas import INPUTS, Sample, Scored, summary
from evaluation.judging.ragas.files import FOLDER, prompts_hash
from evaluation.records import Question
from rag.cache import Cache
from rag.chat import Endpoint
from rag.errors import InputError
from rag.records import Answer

QUESTION = Question("q1", "Wie lange gilt das Angebot?", "30 Tage.")
ANSWERED = Sample(QUESTION, Answer("Es gilt 30 Tage [1].", (1,), False), ("Angebote gelten 30 Tage.", "Rabatte: keine"))
DECLINED = ANSWERED._replace(question=Question("q2", "Wie oft?", "Nie."), answer=Answer("", (), True))
CONTEXT_METRICS = {"context_precision", "context_recall", "context_relevance"}


class Letters:
    """A double of an embedder: how often each letter occurs, length 1."""

    revision, max_tokens, dimension = "letters", 99, 26
    query_prefix = passage_prefix = ""

    def embed_queries(self, texts: list[str]) -> np.ndarray:
        counts = np.array([[text.lower().count(chr(97 + i)) for i in range(26)] for text in texts], np.float32)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)


def judge(url: str, folder: Path, **settings: Any) -> RagasJudge:
    endpoint = Endpoint("m", url, {"temperature": 0.0, "max_tokens": 4096}, "TEST_JUDGE_KEY", timeout=20.0, retries=0)
    return RagasJudge(endpoint, Cache(folder / "cache.sqlite"), Letters(), **settings)  # type: ignore[arg-type]


def prompts(language: str) -> list[tuple[str, Any]]:
    """Every prompt of every metric."""
    from ragas.prompt.metrics.base_prompt import BasePrompt

    from evaluation.judging.ragas.metrics import build

    endpoint = Endpoint("m", "http://x")
    metrics = build(tuple(INPUTS), AsyncOpenAI(base_url="http://x", api_key="x"), endpoint, np.array, language)
    values = [(f"{name}.{slot}", v) for name, metric in metrics.items() for slot, v in vars(metric).items()]
    return [(slot, prompt) for slot, prompt in values if isinstance(prompt, BasePrompt)]


def test_no_prompt_is_left_english_and_each_keeps_its_models() -> None:
    from ragas.prompt.utils import get_all_strings

    german, english = prompts("de"), prompts("en")
    assert [slot for slot, _ in german] == [slot for slot, _ in english]
    assert len(german) == 9  # faithfulness 2, relevancy 1, precision 1, recall 1, correctness 2, relevance 2
    for (slot, own), (_, original) in zip(german, english, strict=True):
        assert own.output_model is original.output_model, slot
        assert own.input_model is original.input_model, slot
        assert len(own.examples) == len(original.examples), slot
        text = own.to_string(own.input_model.model_construct())
        prose = re.sub(r'^.*"properties".*$', "", text, flags=re.MULTILINE)  # the schema names the models' fields
        assert not ENGLISH & set(re.findall(r"\w+", prose.lower())), slot
        english_examples = [string for string in get_all_strings(original.examples) if string.count(" ") > 1]
        assert not [string for string in english_examples if string in text], slot  # names may stay
        assert original.instruction not in text, slot


ENGLISH = {"the", "and", "is", "of", "given", "please", "example", "examples", "input", "output", "with", "who", "what"}


def test_the_german_examples_are_the_english_ones_in_shape() -> None:
    """Same verdicts in the same order, nothing dropped by validation, nothing extra in a file."""
    english = {type(prompt).__name__: prompt for _, prompt in prompts("en")}
    assert {file.name for file in FOLDER.iterdir()} == {"frame.txt", *(f"{name}.yaml" for name in english)}
    for name, original in english.items():
        examples = yaml.safe_load(FOLDER.joinpath(f"{name}.yaml").read_text(encoding="utf-8"))["examples"]
        for own, (given, wanted) in zip(examples, original.examples, strict=True):
            assert original.input_model.model_validate(own["input"], strict=True).model_dump() == own["input"]
            assert original.output_model.model_validate(own["output"], strict=True).model_dump() == own["output"]
            assert shape(own["output"]) == shape(wanted.model_dump())
            assert shape(own["input"]) == shape(given.model_dump())


def shape(value: Any) -> Any:
    """Keys, lengths and numbers; what texts say is left out."""
    if isinstance(value, dict):
        return {k: shape(v) for k, v in value.items()}
    return [shape(item) for item in value] if isinstance(value, list) else str if isinstance(value, str) else value


def test_scores_by_hand_and_a_second_run_that_asks_nothing(tmp_path: Path) -> None:
    with scripted(replying()) as server:
        (scored,) = judge(server.url, tmp_path).scores([ANSWERED])
        asked = len(server.requests)
        assert judge(server.url, tmp_path).scores([ANSWERED]) == [scored]
        assert len(server.requests) == asked
    assert scored.errors == {}
    letters = Letters().embed_queries(["Es gilt 30 Tage .", "30 Tage."])
    assert scored.scores == pytest.approx(
        {
            "faithfulness": 1 / 2,
            "answer_relevancy": 1.0,  # the question that the model found is the question
            "context_precision": (1 / 1 + 2 / 2) / 2,
            "context_recall": 1 / 1,
            "answer_correctness": 0.75 * 1.0 + 0.25 * float(letters[0] @ letters[1]),  # F1 is 1
            "context_relevance": (1 / 2 + 1 / 2) / 2,
        }
    )


def test_what_reaches_the_model_is_german(tmp_path: Path) -> None:
    with scripted(replying()) as server:
        judge(server.url, tmp_path).scores([ANSWERED])
    assert {asked_for(request) for request in server.requests} == set(REPLIES)
    for request in server.requests:
        assert (request.body["temperature"], request.body["max_tokens"]) == (0, 4096)
        (message,) = request.body["messages"]  # no English system message
        assert "Antworte nur mit JSON" in message["content"]
        assert "Please" not in message["content"]


def test_language_en_asks_with_the_prompts_of_ragas(tmp_path: Path) -> None:
    with scripted(replying()) as server:
        judge(server.url, tmp_path, language="en", metrics=("context_recall",)).scores([ANSWERED])
    assert server.requests[0].text.startswith("Given a context and an answer")


def test_what_is_left_out_by_rule_costs_no_call(tmp_path: Path) -> None:
    unanswerable = ANSWERED._replace(question=Question("q3", "Und?", answerable=False))
    failed = ANSWERED._replace(answer=Answer("", (), False, "timed out"))
    nothing_found = DECLINED._replace(question=Question("q4", "Wo?", "Hier."), contexts=())
    with scripted(replying()) as server:
        own = judge(server.url, tmp_path)
        declined, foreign, empty, broken = own.scores([DECLINED, unanswerable, nothing_found, failed])
        assert declined.scores.keys() == broken.scores.keys() == CONTEXT_METRICS
        assert foreign.scores.keys() == {"faithfulness", "answer_relevancy"}
        before = len(server.requests)
        own.scores([nothing_found])
        assert len(server.requests) == before
    assert empty == Scored(dict.fromkeys(CONTEXT_METRICS, 0.0), {})


NOTHING_TO_SCORE = [  # reply in the right schema, metric, what ragas alone would make of it
    ({"StatementGeneratorOutput": {"statements": []}}, "faithfulness"),  # NaN
    ({"StatementGeneratorOutput": {"statements": []}}, "answer_correctness"),  # factuality 1.0
    ({"ClassificationWithReason": {"TP": [], "FP": [], "FN": []}}, "answer_correctness"),  # factuality 1.0
    ({"NLIStatementOutput": {"statements": []}}, "faithfulness"),  # NaN
    ({"NLIStatementOutput": {"statements": REPLIES["NLIStatementOutput"]["statements"][:1]}}, "faithfulness"),  # 1.0
    ({"ContextPrecisionOutput": {"reason": "r", "verdict": 7}}, "context_precision"),  # 28.0
    ({"ContextRecallOutput": {"classifications": []}}, "context_recall"),  # NaN
    (
        {"ContextRecallOutput": {"classifications": [{"statement": "a", "reason": "r", "attributed": 2}]}},
        "context_recall",  # 2.0
    ),
    ({"AnswerRelevanceOutput": {"question": " ", "noncommittal": 0}}, "answer_relevancy"),
    ({"AnswerRelevanceOutput": {"question": "Was?", "noncommittal": 3}}, "answer_relevancy"),
    ({"ContextRelevanceOutput": {"rating": 3}}, "context_relevance"),  # NaN after 10 calls
]
NO_REPLY = [
    ({"ContextRelevanceOutput": says("kein JSON")}, "context_relevance"),
    ({"ContextRecallOutput": says('{"falsch": 1}')}, "context_recall"),
    ({"ContextRecallOutput": says('{"classifications": [', finish="length")}, "context_recall"),
    ({"NLIStatementOutput": Response("{}", 500)}, "faithfulness"),
    ({"NLIStatementOutput": Response("<html>")}, "faithfulness"),
]


@pytest.mark.parametrize(("changed", "metric"), NOTHING_TO_SCORE + NO_REPLY)
def test_a_reply_that_cannot_be_scored_is_an_error_and_is_asked_for_again(
    changed: dict[str, Any], metric: str, tmp_path: Path
) -> None:
    with scripted(replying(changed)) as server:
        (scored,) = judge(server.url, tmp_path, metrics=(metric,)).scores([ANSWERED])
    assert scored.scores == {}
    assert scored.errors.keys() == {metric}
    assert scored.errors[metric].startswith(f"{metric} was not scored: ")
    assert "\n" not in scored.errors[metric]
    assert len(server.requests) <= 3
    with scripted(replying()) as server:
        (scored,) = judge(server.url, tmp_path, metrics=(metric,)).scores([ANSWERED])
    assert (scored.scores.keys(), scored.errors) == ({metric}, {})


def test_the_summary_hides_nothing() -> None:
    questions = [QUESTION, DECLINED.question, Question("q5", "?", "!")]
    scored = [Scored({"faithfulness": 0.5}, {}), Scored({}, {}), Scored({}, {"faithfulness": "down", "x": "down"})]
    assert summary(questions, scored) == {
        "faithfulness": 0.5,
        "faithfulness_n": 1.0,
        "faithfulness_coverage": 1 / 3,
        "faithfulness_failed": 1.0,
        "x_n": 0.0,  # no mean of nothing
        "x_coverage": 0.0,
        "x_failed": 1.0,
    }


def test_the_key_stays_in_the_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_JUDGE_KEY", "sk-canary-1234")
    tells = Response('{"error": {"message": "Incorrect API key provided: sk-canary-1234"}}', 401)
    with scripted(replying({"ContextRecallOutput": tells})) as server:
        own = judge(server.url, tmp_path)
        (scored,) = own.scores([ANSWERED])
    assert {request.authorization for request in server.requests} == {"Bearer sk-canary-1234"}
    assert "(API key)" in scored.errors["context_recall"]
    assert "canary" not in f"{scored} {own!r} {own.name}"
    assert all(b"canary" not in file.read_bytes() for file in tmp_path.iterdir())


def test_the_label_is_that_of_the_label_judge_and_the_name_says_both(tmp_path: Path) -> None:
    own = judge("http://localhost", tmp_path)
    (judgement,) = own([Case("Wie lange?", "30 Tage", "Es sind 30 Tage")])
    assert judgement.label == "correct"
    assert own.name.startswith("deterministic-2(")
    assert f"prompts={prompts_hash('de')[:12]}, language=de, embedding=letters, " in own.name


def test_settings_that_make_no_sense(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"judge\.language=fr: must be de or en"):
        judge("http://localhost", tmp_path, language="fr")
    with pytest.raises(InputError, match=r"judge\.metrics: bleu unknown; there are faithfulness, "):
        judge("http://localhost", tmp_path, metrics=("bleu",))
