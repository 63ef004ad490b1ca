"""The commands. Configuration objects stop here: everything below takes ordinary arguments."""

import os

os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")  # MLflow reports its use to its makers unless told not to
