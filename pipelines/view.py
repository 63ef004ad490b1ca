"""How the MLflow UI shows the runs: the columns and charts that matter, the best first."""

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
FIRST = "Model metrics"  # the UI's own name of the section of charts for metrics without a prefix
FOLDED = ("detail", "detail/causes", "detail/parts")
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
            "isAccordionReordered": True,  # else the UI shows every section with a prefix before the headline
            "compareRunSections": [_section(FIRST, True), *(_section(name, False) for name in FOLDED)],
            "compareRunCharts": [_chart(name) for name in METRICS],
        }
    )


def _section(name: str, shown: bool) -> dict[str, object]:
    return {"uuid": name, "name": name, "display": shown, "isReordered": False, "deleted": False, "isGenerated": True}


def _chart(metric: str) -> dict[str, object]:
    return {
        "uuid": metric,
        "type": "BAR",
        "runsCountToCompare": 10,
        "metricSectionId": FIRST,
        "deleted": False,
        "isGenerated": True,
        "metricKey": metric,
        "displayName": metric,
    }
