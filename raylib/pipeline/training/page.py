"""The report of a training: curves, what the adapter is, what it changed, and every setting."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from raylib.pipeline.training.check import Checked
from raylib.pipeline.training.plan import TrainPlan
from raylib.report.loss_curves import loss_curves
from raylib.report.page import RunHeader, render
from raylib.report.sections import Block, DataTable, Figure, Section
from raylib.training.adapters import AdapterFacts


class EventFile(NamedTuple):
    """A file that TensorBoard reads."""

    name: str
    data: bytes


def training_page(
    plan: TrainPlan, facts: AdapterFacts, checked: Checked | None, history: Sequence[dict[str, float]]
) -> str:
    """Return the report as one HTML file."""
    config, held = plan.config, len(plan.order.held_out)
    losses = [one["loss"] for one in history if "loss" in one]
    caption = f"Mean over answer tokens. First step {losses[0]:.4f}, last {losses[-1]:.4f}."
    if held:
        caption += f" Held-out: {held} examples that were never learnt from."
    blocks: list[Block] = [
        Figure("Loss by step", loss_curves(history, held), "Loss of training and held-out examples by step", caption)
    ]
    seconds, tokens = (sum(one.get(name, 0.0) for one in history) for name in ("seconds", "tokens"))
    rows = [
        ("Tensors / weights", f"{facts.tensors:,} / {facts.parameters:,}"),
        ("Rank, alpha", f"{facts.rank}, {config.lora.alpha:g}"),
        ("Largest weight of lora_B", f"{facts.largest_b:.3g}"),
        ("Speed", f"{seconds / max(len(losses), 1):.2f} s a step, {tokens / max(seconds, 1e-9):.0f} tokens a second"),
    ]
    sections = [Section("Loss", blocks), Section("Adapter", [DataTable("Adapter", ("What", "Value"), rows)])]
    if checked is not None:
        likelier = (
            f"Taught answers: {checked.base:.3f} a token by the base model, {checked.adapted:.3f} with the adapter."
        )
        answers = [(one["example"], one["taught"], one["base"], one["adapted"]) for one in checked.answers]
        columns = ("Example", "Taught", "Base model", "With the adapter")
        sections.append(Section("In vLLM", [DataTable("Greedy answers", columns, answers, likelier)]))
    header = RunHeader(
        run=config.run, study="training of a LoRA adapter", model=config.model.name, when="", provenance=_settings(plan),
        counts={"planned": len(plan.order.examples), "ok": len(plan.order.examples)},
    )  # fmt: skip
    return render(f"Training of {config.run}", header, sections)


def event_file(history: Sequence[dict[str, float]]) -> EventFile | None:
    """Return the history as TensorBoard's event file; None where tensorboard is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    with tempfile.TemporaryDirectory(prefix="events-") as name:
        writer = SummaryWriter(name)
        for one in history:
            for key in ("loss", "held_out", "rate"):
                if key in one:
                    writer.add_scalar(key, one[key], int(one["step"]))
        writer.close()
        path = next(Path(name).iterdir())
        return EventFile("events.out.tfevents.0", path.read_bytes())


def _settings(plan: TrainPlan) -> tuple[tuple[str, str], ...]:
    config = plan.config
    groups: dict[str, dict[str, Any]] = {
        "training": config.training.model_dump(mode="json"), "lora": config.lora.model_dump(mode="json"),
    }  # fmt: skip
    return (
        ("Base model", f"{config.model.name}: {config.model.source}"),
        ("Licence of the base model", config.model.license or "not stated"),
        ("Fingerprint", plan.fingerprint),
        *((f"{group}.{name}", str(value)) for group, values in groups.items() for name, value in values.items()),
        *((f"data: {name}", str(value)) for name, value in plan.training_set.facts.items()),
    )
