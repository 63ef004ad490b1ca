"""The registered model: MLflow runs this file when it loads one (`mlflow.models.set_model`, "models from code")."""

import logging
import os
from threading import Lock
from typing import Any, cast

import pydantic
from mlflow.models import set_model
from mlflow.pyfunc.model import PythonModel
from omegaconf import DictConfig, OmegaConf

from pipelines import stages
from pipelines.packing import check_weights, served, unpack_vectors
from pipelines.service import service
from rag.errors import InputError
from rag.service import Reply, Service

logger = logging.getLogger(__name__)


class Asked(pydantic.BaseModel):
    """`groups`: those of the asking person; without any, public passages alone are searched."""

    question: str
    groups: list[str] | None = None


class Source(pydantic.BaseModel):
    """`number` is the passage's in the answer's `[1]`; `section` an id such as `reisekosten#s2`."""

    number: int
    document: str
    section: str
    title: str
    url: str


class Passage(Source):
    text: str


class Replied(pydantic.BaseModel):
    """`status`: answered, declined or error; `answer` is empty unless it is answered."""

    status: str
    answer: str
    citations: list[Source]
    passages: list[Passage]
    error: str


class RagPipeline(PythonModel):
    """Answers from the documents that it was promoted with, or from those at `corpus_path`.

    Those are read anew when a file among them has changed; only passages with new text are embedded.
    """

    def load_context(self, context: Any) -> None:
        self.corpus_path = context.model_config["corpus_path"]
        packed = OmegaConf.load(context.artifacts["config"])
        self.cfg = served(cast(DictConfig, packed), context.artifacts, self.corpus_path)
        if changed := check_weights(self.cfg):
            raise InputError(f"{changed[0]}.model: its weights are not those that were promoted; get that revision")
        unpack_vectors(context.artifacts["vectors"], stages.model_cache())
        self.lock, self.state = Lock(), self._files()
        self.service: Service | None = service(self.cfg)
        self.service.embed_queries(["load the weights"])

    def predict(self, context: Any, model_input: list[Asked], params: dict[str, Any] | None = None) -> list[Replied]:
        asked = [own.question for own in model_input]
        current = self._current()
        if current is None:
            replied = [_failed("the documents cannot be read; the server's log says why")] * len(asked)
        else:
            replies = current.ask(asked, [tuple(own.groups or ()) for own in model_input])
            replied = [_replied(current, reply) for reply in replies]
        # Plain dicts: the annotation is there for the signature, and JSON is what callers want.
        return cast(list[Replied], [own.model_dump() for own in replied])

    def _current(self) -> Service | None:
        """None while the documents cannot be read: old ones may hold what has been closed since."""
        with self.lock:
            if (state := self._files()) != self.state:
                self.state = state
                try:
                    self.service = service(self.cfg)
                except InputError as error:
                    logger.error("%s", error)
                    self.service = None
            return self.service

    def _files(self) -> list[tuple[str, int, int]]:
        """Every file at `corpus_path` with its time of change and size."""
        if not self.corpus_path:
            return []
        inside = (os.path.join(folder, name) for folder, _, names in os.walk(self.corpus_path) for name in names)
        found = [(path, os.lstat(path)) for path in (self.corpus_path, *inside) if os.path.lexists(path)]
        return sorted((path, own.st_mtime_ns, own.st_size) for path, own in found)


def _replied(of: Service, reply: Reply) -> Replied:
    answer, passages = reply.answer, []
    for number, hit in enumerate(reply.passages, 1):
        document = of.documents[hit.chunk.document]
        passages.append(
            Passage(
                number=number,
                document=document.id,
                section=hit.chunk.section,
                title=document.title,
                url=document.url,
                text=hit.chunk.text,
            )
        )
    if answer.error:
        return Replied(status="error", answer="", citations=[], passages=passages, error=answer.error)
    if answer.declined:
        return Replied(status="declined", answer="", citations=[], passages=passages, error="")
    cited = [Source(**passages[number - 1].model_dump(exclude={"text"})) for number in answer.citations]
    return Replied(status="answered", answer=answer.text, citations=cited, passages=passages, error="")


def _failed(error: str) -> Replied:
    return Replied(status="error", answer="", citations=[], passages=[], error=error)


set_model(RagPipeline())
