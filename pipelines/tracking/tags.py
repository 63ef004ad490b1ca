"""The tags by which runs and traces are found again."""

FINGERPRINT = "fingerprint"
KIND = "kind"  # sweep, point, comparison, threshold or gate
PARENT = "mlflow.parentRunId"
BASELINE = "baseline"  # tag on a sweep: fingerprint of the point that its others are compared with
BESIDE = "beside_the_axes"  # tag on a sweep: fingerprints of its points that are baselines only
REUSED = "reused."  # tag on a sweep: followed by the id of an earlier run that is one of its points
PRUNED = "pruned"  # tag on a point that was left after the first questions: why
QUESTION = "messlatte.question"  # tag on a trace that people assess: the question's id
OBJECTIVE = "objective"  # tag on a run that holds a comparison: what it ranks by
VALIDATED = "judge_validated"
GATE = "gate"  # tag on a run of kind gate: passed or failed
ACCEPTED = "gate_accepted"  # tag on it: whether later ones are compared with it
MEASURED = "gate_point"  # tag on it: the id of the point that it looked at
JOB = "job"  # tag on a point that ran on a worker: its number in the sweep
WORKER = "worker"  # tag on such a point: host and process
BEAT = "alive_at"  # tag on a sweep: seconds since 1970 of its last sign of life
NOTE = "mlflow.note.content"
TABLES = "mlflow.loggedArtifacts"  # which artifacts are tables, for the UI
LONGEST = 6000  # characters of a param or a tag
LONGEST_NAME = 250  # of a trace or a span
