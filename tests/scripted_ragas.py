"""What a scripted endpoint says to the prompts of ragas: replies that can be scored by hand."""

import json
from typing import Any

from scripted import Request, Response, Script, says

REPLIES: dict[str, dict[str, Any]] = {  # by the output model that is asked for
    "StatementGeneratorOutput": {"statements": ["Das Angebot gilt 30 Tage.", "Das Angebot gilt nur schriftlich."]},
    "NLIStatementOutput": {
        "statements": [
            {"statement": "a", "reason": "steht da", "verdict": 1},
            {"statement": "b", "reason": "fehlt", "verdict": 0},
        ]
    },
    "AnswerRelevanceOutput": {"question": "Wie lange gilt das Angebot?", "noncommittal": 0},
    "ContextPrecisionOutput": {"reason": "hilft", "verdict": 1},
    "ContextRecallOutput": {"classifications": [{"statement": "a", "reason": "steht da", "attributed": 1}]},
    "ClassificationWithReason": {"TP": [{"statement": "a", "reason": "r"}], "FP": [], "FN": []},
    "ContextRelevanceOutput": {"rating": 1},
}


def replying(changed: dict[str, Any] | None = None) -> Script:
    replies = {**REPLIES, **(changed or {})}

    def script(request: Request) -> Response:
        found = replies[asked_for(request)]
        return found if isinstance(found, Response) else says(json.dumps(found))

    return script


def asked_for(request: Request) -> str:
    name: str = request.body["response_format"]["json_schema"]["name"]
    return name
