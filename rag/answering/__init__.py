"""From ranked passages to a cited answer or a refusal."""

from rag.answering.calibration import background_questions, background_threshold
from rag.answering.chat import Chat
from rag.answering.extractive import Extractive
from rag.answering.guards import Generator, answer_all, asked

__all__ = ["Chat", "Extractive", "Generator", "answer_all", "asked", "background_questions", "background_threshold"]
