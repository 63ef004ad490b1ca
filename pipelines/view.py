"""How the MLflow UI shows the runs: the columns that matter, the best first."""

import json

NAME = "messlatte"
TAG = f"mlflow.sharedViewState.{NAME}"  # on the experiment, where the UI's own button `Share view` keeps such views
METRICS = (
    "correct",
    "partly",
    "wrong",
    "declined",
    "recall_at_8",
    "precision_at_8",
    "mrr",
    "ndcg_at_8",
    "latency_p50_ms",
    "coverage",
)
PARAMS = ("chunking.size", "chunking.overlap", "embedding", "retrieval", "retrieval.top_k", "reranker")


def address(experiment: str) -> str:
    """Where the view is, below the UI's own address."""
    return f"/#/experiments/{experiment}/runs?viewStateShareKey={NAME}"


def state() -> str:
    """The view in the UI's JSON: what it fills in by itself is left out."""
    columns = [f"metrics.`{name}`" for name in METRICS] + [f"params.`{name}`" for name in PARAMS]
    return json.dumps(
        {
            "selectedColumns": columns,
            "orderByKey": columns[0],
            "orderByAsc": False,
            "lifecycleFilter": "Active",
            "startTime": "ALL",
        }
    )
