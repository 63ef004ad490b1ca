"""Judges that ask a language model. Importing this loads neither openai nor ragas."""

from evaluation.judging.chat_judge import ChatJudge
from evaluation.judging.ragas import RagasJudge

__all__ = ["ChatJudge", "RagasJudge"]
