"""The system under test: documents in, cited answers or refusals out. Knows no Hydra, no MLflow, no golden set."""
