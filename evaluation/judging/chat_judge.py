"""A language model compares the answer with the expected one and gives its reason."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

from evaluation.judges import CITATION, Case, Judgement, Verdict
from evaluation.judging.context_judge import ContextJudge
from evaluation.judging.language import check_language, prompt
from rag.cache import Cache
from rag.cached import Progress
from rag.chat import Endpoint, Failure, Messages, Reply
from rag.errors import InputError
from rag.jsontext import parse

SCHEMA = {
    "type": "object",
    "properties": {  # the reason first, so that the verdict follows from it
        "reason": {"type": "string"},
        "verdict": {"type": "string", "enum": list(get_args(Verdict))},
    },
    "required": ["reason", "verdict"],
    "additionalProperties": False,
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "judgement", "strict": True, "schema": SCHEMA}}
SHOWN = 200  # characters of a reply that is not in the schema


@dataclass(frozen=True, slots=True)
class ChatJudge:
    """Asks for a verdict in a JSON schema; what has been judged once is never asked again.

    Of `context_questions` questions the passages are judged too, by `of_passages`. The parameters of `endpoint` should
    hold temperature 0. Raises InputError for a language without a prompt.
    """

    endpoint: Endpoint
    cache: Cache
    language: str = "de"
    context_questions: int = 0
    repeat: int = 0

    def __post_init__(self) -> None:
        check_language(self.language)
        if self.context_questions < 0:
            raise InputError(f"judge.context_questions={self.context_questions}: must be 0 or more")

    @property
    def prompt_hash(self) -> str:
        return hashlib.sha256((prompt(self.language, "judge") + json.dumps(SCHEMA)).encode()).hexdigest()

    @property
    def name(self) -> str:
        parameters = json.dumps(self.endpoint.parameters, sort_keys=True)
        return (
            f"llm-1(model={self.endpoint.model}, prompt={self.prompt_hash[:12]}, language={self.language}, "
            f"parameters={parameters})"
        )

    @property
    def of_passages(self) -> ContextJudge:
        return ContextJudge(self.endpoint, self.cache, self.language)

    def repeated(self, repeat: int) -> "ChatJudge":
        return replace(self, repeat=repeat)

    def __call__(self, cases: Sequence[Case], progress: Progress | None = None) -> list[Judgement]:
        endpoint = replace(self.endpoint, parameters={**self.endpoint.parameters, "response_format": FORMAT})
        prompts = [self._messages(case) for case in cases]
        found = endpoint.ask(prompts, self.cache, read_judgement, progress, self.repeat)
        return [
            Judgement(None, error=f"not judged: {own.error}", usage=own.usage) if isinstance(own, Failure) else own
            for own in found
        ]

    def _messages(self, case: Case) -> Messages:
        # JSON marks off what is judged: no quotation mark or instruction inside an answer ends its field.
        stated = {**case._asdict(), "answer": CITATION.sub("", case.answer).strip()}
        return (
            {"role": "system", "content": prompt(self.language, "judge")},
            {"role": "user", "content": json.dumps(stated, ensure_ascii=False, indent=1)},
        )


def read_judgement(reply: Reply) -> Judgement:
    """The verdict and its reason. Raises ValueError for a refusal, a reply that was cut off or is not in the schema."""
    if reply.refusal or reply.finish == "length" or not reply.text:
        raise ValueError(f"the model gave no complete reply (finish_reason={reply.finish}) {reply.refusal}".strip())
    try:
        found = parse(reply.text)
        verdict, reason = found["verdict"], found["reason"]  # type: ignore[index, call-overload]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"the reply is not in the schema: {reply.text[:SHOWN]!r}") from None
    if verdict not in get_args(Verdict) or not isinstance(reason, str):
        raise ValueError(f"the reply is not in the schema: {reply.text[:SHOWN]!r}")
    return Judgement(verdict, reason, usage=reply.usage)
