"""A language model compares the answer with the expected one and gives its reason."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from evaluation.judges import CITATION, Verdict
from evaluation.judging.endpoint import Endpoint, JudgingError
from rag.cache import Cache, key
from rag.errors import InputError

if TYPE_CHECKING:
    from openai import AsyncOpenAI

SCHEMA = {
    "type": "object",
    "properties": {  # the reason first, so that the verdict follows from it
        "reason": {"type": "string"},
        "verdict": {"type": "string", "enum": list(get_args(Verdict))},
    },
    "required": ["reason", "verdict"],
    "additionalProperties": False,
}


class Judgement(NamedTuple):
    verdict: Verdict
    reason: str


class Case(NamedTuple):
    question: str
    expected: str
    answer: str


@dataclass(frozen=True, slots=True)
class ChatJudge:
    """Asks at temperature 0 for a verdict in a JSON schema; what has been judged once is never asked again.

    `repeat` asks anew where it was asked before: only to measure the noise of the judge.
    """

    endpoint: Endpoint
    cache: Cache
    language: str = "de"
    repeat: int = 0

    def __post_init__(self) -> None:
        if self.language not in ("de", "en"):
            raise InputError(f"judge.language={self.language}: must be de or en")

    @property
    def name(self) -> str:
        prompt = hashlib.sha256((self.prompt() + json.dumps(SCHEMA)).encode()).hexdigest()[:12]
        return f"llm-1(model={self.endpoint.model}, prompt={prompt}, language={self.language})"

    def __call__(self, question: str, expected: str, answer: str) -> Verdict:
        return self.judgements([Case(question, expected, answer)])[0].verdict

    def judgements(self, cases: Sequence[Case]) -> list[Judgement]:
        """One judgement a case, asked for at the same time.

        Raises JudgingError for the first case that could not be judged, when all the others are in the cache.
        """
        keys = [key("judge", self.name, str(self.repeat), *case) for case in cases]
        known = self.cache.get_many(keys)
        missing = {k: case for k, case in zip(keys, cases, strict=True) if k not in known}
        if missing:
            known |= asyncio.run(self._ask(missing))
        return [Judgement(**json.loads(known[k])) for k in keys]

    async def _ask(self, cases: dict[str, Case]) -> dict[str, bytes]:
        async with self.endpoint.client() as client:
            found = await self.endpoint.gather([self._one(client, k, case) for k, case in cases.items()])
        failed = [(case, f) for case, f in zip(cases.values(), found, strict=True) if isinstance(f, Exception)]
        if failed:
            case, error = failed[0]
            more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
            problem = self.endpoint.problem(error)
            raise JudgingError(f"question {case.question!r} was not judged{more}: {problem}") from None
        return dict(zip(cases, found, strict=True))  # type: ignore[arg-type]

    async def _one(self, client: "AsyncOpenAI", k: str, case: Case) -> bytes:
        # JSON marks off what is judged: no quotation mark or instruction inside an answer ends its field.
        stated = {**case._asdict(), "answer": CITATION.sub("", case.answer).strip()}
        reply = await client.chat.completions.create(
            model=self.endpoint.model,
            temperature=0,
            messages=[
                {"role": "system", "content": self.prompt()},
                {"role": "user", "content": json.dumps(stated, ensure_ascii=False, indent=1)},
            ],
            response_format={
                "type": "json_schema",
                "json_schema": {"name": "judgement", "strict": True, "schema": SCHEMA},
            },
        )
        value = json.dumps(_read(reply)._asdict(), ensure_ascii=False).encode()
        self.cache.put_many({k: value})
        return value

    def prompt(self) -> str:
        folder = files("evaluation.judging").joinpath("prompts", self.language)
        return folder.joinpath("judge.txt").read_text(encoding="utf-8")


def _read(reply: Any) -> Judgement:
    if not reply.choices:
        raise JudgingError("the reply holds no choice")
    choice = reply.choices[0]
    if choice.finish_reason != "stop" or not choice.message.content:
        refusal = getattr(choice.message, "refusal", None)
        raise JudgingError(f"the model gave no complete reply (finish_reason={choice.finish_reason}, {refusal=})")
    text = choice.message.content
    try:
        found = json.loads(text)
        verdict, reason = found["verdict"], found["reason"]
    except (ValueError, KeyError, TypeError):
        raise JudgingError(f"the reply is not in the schema: {text[:200]!r}") from None
    if verdict not in get_args(Verdict) or not isinstance(reason, str):
        raise JudgingError(f"the reply is not in the schema: {text[:200]!r}")
    return Judgement(verdict, reason)
