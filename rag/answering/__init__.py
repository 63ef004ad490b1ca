"""From ranked passages to a cited answer or a refusal."""

from rag.answering.calibration import background_questions, background_threshold
from rag.answering.extractive import Extractive
from rag.answering.guards import Generator, answer_all

__all__ = ["Extractive", "Generator", "answer_all", "background_questions", "background_threshold"]
