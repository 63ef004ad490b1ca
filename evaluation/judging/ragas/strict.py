"""A model whose replies are checked, because ragas makes numbers of replies that mean nothing."""

from typing import TypeVar

from pydantic import BaseModel
from ragas.llms.base import InstructorBaseRagasLLM

Output = TypeVar("Output", bound=BaseModel)
ALLOWED = {"verdict": (0, 1), "attributed": (0, 1), "noncommittal": (0, 1), "rating": (0, 1, 2)}


class StrictModel(InstructorBaseRagasLLM):
    """Raises ValueError for a reply in the right schema that cannot be scored."""

    def __init__(self, inner: InstructorBaseRagasLLM) -> None:
        self.inner = inner

    def generate(self, prompt: str, response_model: type[Output]) -> Output:
        return check(self.inner.generate(prompt, response_model))

    async def agenerate(self, prompt: str, response_model: type[Output]) -> Output:
        return check(await self.inner.agenerate(prompt, response_model))


def check(reply: Output) -> Output:
    """The reply, if every number in it is one of those asked for, and it holds something.

    ragas would count a verdict of 7 as 7, and score 1.0 for an answer in which the model found no statement.
    """
    lists = [value for _, value in reply if isinstance(value, list)]
    if lists and not any(lists):
        raise ValueError(f"the model found nothing to judge ({type(reply).__name__} is empty)")
    for name, value in reply:
        if value not in ALLOWED.get(name, (value,)) or (name == "question" and not value.strip()):
            raise ValueError(f"the model replied {name}={value!r}")
        for item in value if isinstance(value, list) else ():
            if isinstance(item, BaseModel):
                check(item)
    return reply
