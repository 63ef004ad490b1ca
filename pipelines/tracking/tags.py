"""The tags by which runs and traces are found again."""

FINGERPRINT = "fingerprint"
KIND = "kind"  # sweep, point, comparison or threshold
PARENT = "mlflow.parentRunId"
REUSED = "reused."  # tag on a sweep: followed by the id of an earlier run that is one of its points
QUESTION = "messlatte.question"  # tag on a trace that people assess: the question's id
OBJECTIVE = "objective"  # tag on a run that holds a comparison: what it ranks by
VALIDATED = "judge_validated"
NOTE = "mlflow.note.content"
LONGEST = 6000  # characters of a param or a tag
