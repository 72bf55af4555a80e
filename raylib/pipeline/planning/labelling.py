"""What a labelling model would read and write: bounds from the config, beside what the audited model takes."""

from collections.abc import Iterator

from raylib.config.run import LabellerConfig
from raylib.pipeline.planning.assumptions import load_assumptions
from raylib.pipeline.planning.cost import api_cost, price_table
from raylib.pipeline.planning.hours import assumed_hours, parameters_of
from raylib.pipeline.planning.plan import RunPlan
from raylib.pipeline.planning.text import NO_HOURS, low_to_high
from raylib.pipeline.planning.total import row


def labelling_lines(labeller: LabellerConfig, plan: RunPlan) -> Iterator[str]:
    """Yield the rows of one labelling model: one answer a text.

    What is asked about a text depends on the study and stands beside it in every question; it is not counted here.
    """
    texts, answers = plan.size.samples, plan.size.samples * labeller.sampling.max_tokens
    yield row("labelled by", f"{labeller.model.name}: {texts:,} answers, at most {answers:,} tokens")
    yield row(
        "", f"it reads texts of at most {plan.size.new_tokens:,} tokens, and what is asked about each (not counted)"
    )
    kind, parameters = labeller.model.engine.kind, parameters_of(labeller.model, None)
    if kind == "openai":
        cost = api_cost(
            labeller.model.name, price_table(None, plan.config), plan.size.prompt_tokens + plan.size.new_tokens, answers
        )
        yield row("", f"API cost unknown: {cost.rests_on}" if cost.usd is None else f"API cost about ${cost.usd:,.2f}")
    elif kind != "vllm":
        yield row("", f"GPU hours {NO_HOURS[kind]}")
    elif parameters is None:
        yield row("", "GPU hours unknown: its name does not say how large it is")
    elif labeller.gpus_per_actor:
        hours = [
            assumed_hours(device, parameters.billions, answers)
            for device in load_assumptions(None).devices
            if device.memory_gb
        ]
        found = (f"{one.device} {low_to_high(one.low, one.high)}" for one in hours if one.low is not None and one.high)
        yield row("", f"GPU hours {'; '.join(found)} (assumed) for the answers; reading the texts comes on top")
