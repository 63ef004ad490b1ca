"""German wording for the prompts of ragas. Importing this loads ragas, which takes seconds."""

import json
from string import Template
from typing import Any

from pydantic import BaseModel
from ragas.prompt.metrics.base_prompt import BasePrompt

from evaluation.judging.ragas.files import frame, wording


class GermanPrompt(BasePrompt):
    """The prompt `original` in German: the same models in and out, its own instruction, examples and frame."""

    language = "german"

    def __init__(self, original: BasePrompt) -> None:
        text = wording(type(original).__name__)
        self.input_model, self.output_model = original.input_model, original.output_model
        self.instruction = text["instruction"]
        self.examples = [
            (self.input_model.model_validate(example["input"]), self.output_model.model_validate(example["output"]))
            for example in text["examples"]
        ]

    def to_string(self, data: BaseModel) -> str:
        # Descriptions in the schema are English; the instruction says the same in German.
        schema = _without_descriptions(self.output_model.model_json_schema())
        return Template(frame()).substitute(
            instruction=self.instruction,
            schema=json.dumps(schema, ensure_ascii=False),
            examples="\n\n".join(
                f"Beispiel {n}\nEingabe: {given.model_dump_json(indent=4)}\nAusgabe: {wanted.model_dump_json(indent=4)}"
                for n, (given, wanted) in enumerate(self.examples, 1)
            ),
            input=data.model_dump_json(indent=4, exclude_none=True),
        )


def translate(metric: Any) -> None:
    """Replace every prompt that the metric holds. Raises FileNotFoundError for one without German wording."""
    for name, prompt in list(vars(metric).items()):
        if isinstance(prompt, BasePrompt):
            setattr(metric, name, GermanPrompt(prompt))


def _without_descriptions(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {k: _without_descriptions(v) for k, v in schema.items() if k != "description" or isinstance(v, dict)}
    return [_without_descriptions(item) for item in schema] if isinstance(schema, list) else schema
