"""The system under test: documents in, cited answers or refusals out. Knows neither Hydra, nor MLflow, nor the golden set."""
