"""The tags by which runs and traces are found again."""

FINGERPRINT = "fingerprint"
KIND = "kind"  # sweep, point, comparison or threshold
PARENT = "mlflow.parentRunId"
REUSED = "reused."  # tag on a sweep: followed by the id of an earlier run that is one of its points
QUESTION = "messlatte.question"  # tag on a trace that people assess: the question's id
OBJECTIVE = "objective"  # tag on a run that holds a comparison: what it ranks by
VALIDATED = "judge_validated"
JOB = "job"  # tag on a point that ran on a worker: its number in the sweep
WORKER = "worker"  # tag on such a point: host and process
BEAT = "alive_at"  # tag on a sweep: seconds since 1970 of its last sign of life
NOTE = "mlflow.note.content"
LONGEST = 6000  # characters of a param or a tag
