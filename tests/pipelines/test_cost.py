from omegaconf import OmegaConf

from evaluation.judges import Judgement
from pipelines.cost import cost
from rag.records import Answer, Usage

PRICE = {"input": 2.0, "output": 10.0}
CFG = OmegaConf.create({"generator": {"price": PRICE}, "judge": {}, "measures": {"questions_per_month": 1000}})


def test_cost_of_a_run_and_a_month() -> None:
    answers = [
        Answer("a [1]", (1,), False, usage=Usage(1000, 100)),
        Answer("", (), True),  # declined before the call: no tokens, but a question
        Answer("", (), False, "cut off", Usage(500, 300)),  # paid for, although it is an error
        Answer("", (), False, "no connection", None),  # says nothing of what a question costs
    ]
    per_run = (1500 * 2.0 + 400 * 10.0) / 1e6
    assert cost(CFG, answers, []) == {
        "n_usage_unknown": 0.0,
        "input_tokens": 1500 / 3,
        "output_tokens": 400 / 3,
        "cost_per_run": per_run,
        "cost_per_month": 1000 * per_run / 3,
    }


def test_no_cost_from_tokens_that_are_not_known() -> None:
    answers = [Answer("a [1]", (1,), False, usage=None), Answer("b [1]", (1,), False, usage=Usage(1, 1))]
    assert cost(CFG, answers, []) == {"n_usage_unknown": 1.0}
    assert cost(CFG, [Answer("", (), False, "no connection", None)], []) == {"n_usage_unknown": 0.0}
    assert cost(OmegaConf.create({"generator": {}, "judge": {}}), answers, []) == {}


def test_a_judge_is_paid_for_apart() -> None:
    cfg = OmegaConf.create({"generator": {}, "judge": {"price": PRICE}})
    judgements = [
        Judgement("correct", "so", usage=Usage(300, 30)),
        Judgement("declined"),  # by rule: no tokens, but a question
        Judgement(None, error="not judged: no connection", usage=None),  # says nothing of what a question costs
    ]
    assert cost(cfg, [], judgements) == {
        "judge_n_usage_unknown": 0.0,
        "judge_input_tokens": 300 / 2,
        "judge_output_tokens": 30 / 2,
        "judge_cost_per_run": (300 * 2.0 + 30 * 10.0) / 1e6,
    }
