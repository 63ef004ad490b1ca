"""RAGAS scores beside the label. Importing this does not load ragas, which takes seconds."""

import os

from evaluation.judging.ragas.judge import INPUTS, RagasJudge, Sample, Scored, summary

os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")  # ragas reports its use to its makers unless told not to

__all__ = ["INPUTS", "RagasJudge", "Sample", "Scored", "summary"]
