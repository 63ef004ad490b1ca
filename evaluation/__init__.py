"""Golden questions, evidence, measures, labels and causes. Knows no MLflow."""
