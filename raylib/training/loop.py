"""What each worker does: the same model, its share of every step's examples, one update, now and then a checkpoint.

A step's examples, learning rate and random numbers follow from its number, and a checkpoint holds the rest (weights and
moments), so a training that was killed gives the losses of one that was not. Knows nothing of Ray.
"""

import logging
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from raylib.config.training import LoraOptions, TrainingOptions
from raylib.training.examples import Encoded, pad
from raylib.training.loss import answer_tokens, micro_batches, scale, summed_loss
from raylib.training.order import batch_of, share_of
from raylib.training.schedule import learning_rate, total_steps
from raylib.training.state import Point, begin_optimizer, gathered, read_point, read_values, restore, save, set_weights

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Order:
    """What is to be trained; the same for all workers."""

    lora: LoraOptions
    training: TrainingOptions
    examples: Sequence[Encoded]
    held_out: Sequence[Encoded]
    padding: int
    """A token's id to fill up with; attention and loss pass over it."""
    trust_remote_code: bool = False

    @property
    def steps(self) -> int:
        """Updates in all."""
        return total_steps(self.training, len(self.examples))


class Place(NamedTuple):
    """Which worker this is, and how it speaks to whoever started it."""

    rank: int
    workers: int
    device: str
    """`cpu` or `cuda:0`."""
    resume: Path | None
    """A checkpoint's folder to go on from."""
    report: Callable[[Mapping[str, float], bool, Path | None], None]
    """Called after each step by every worker: what it was, whether a checkpoint is due, and on rank 0 that one's folder."""


def train_worker(model_path: str, order: Order, place: Place) -> None:
    """Train to the end; needs a started torch.distributed."""
    _Training(model_path, order, place).run()


class _Training:
    def __init__(self, model_path: str, order: Order, place: Place) -> None:
        import torch

        self._order, self._place = order, place
        options = order.training
        on_cpu = place.device == "cpu"
        if on_cpu:
            os.environ["DS_ACCELERATOR"] = "cpu"
        self._bf16 = options.precision == "bf16" or (options.precision == "auto" and not on_cpu)
        torch.manual_seed(options.seed)
        self._share = options.batch // place.workers
        self._accumulated = -(-self._share // options.micro_batch)
        model = self._model(model_path)
        self._parameters = {name: value for name, value in model.named_parameters() if value.requires_grad}
        self.point = read_point(place.resume) if place.resume else Point(0, [])
        values = read_values(place.resume) if place.resume else None
        if values is not None:
            set_weights(
                self._parameters, values
            )  # before DeepSpeed takes its copies: it sets these, not the model's own
        self._engine = self._start(model)
        begin_optimizer(self._engine, self.point.step)
        if values is not None:
            restore(self._parameters, values)
        self._lengths = [len(one.input_ids) for one in order.examples]

    def run(self) -> None:
        """Take every step that is left."""
        options, steps = self._order.training, self._order.steps
        history = self.point.history
        if not history and self._order.held_out:
            history.append({"step": 0, "held_out": self._held_out()})
        for step in range(self.point.step, steps):
            facts = self._step(step, steps)
            done = step + 1
            saves = done % options.save_every == 0 or done == steps
            if saves and self._order.held_out:
                facts["held_out"] = self._held_out()
            history.append(facts)
            if not saves:
                self._place.report(facts, False, None)
                continue
            values = gathered(self._engine, self._parameters)
            with tempfile.TemporaryDirectory(prefix="checkpoint-") as folder:
                if self._place.rank == 0:
                    save(Path(folder), self._engine.module, values, Point(done, history))
                self._place.report(facts, True, Path(folder) if self._place.rank == 0 else None)

    def _model(self, path: str) -> Any:
        import torch
        from peft import LoraConfig, get_peft_model
        from transformers import AutoModelForCausalLM

        order, lora = self._order, self._order.lora
        base = AutoModelForCausalLM.from_pretrained(
            path, dtype=torch.bfloat16 if self._bf16 else torch.float32, use_safetensors=True, local_files_only=True,
            trust_remote_code=order.trust_remote_code,
        )  # fmt: skip
        base.config.use_cache = False
        if order.training.gradient_checkpointing:
            base.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        targets = lora.targets if isinstance(lora.targets, str) else list(lora.targets)
        model = get_peft_model(
            base,
            LoraConfig(
                r=lora.rank, lora_alpha=lora.alpha, lora_dropout=lora.dropout, target_modules=targets,
                task_type="CAUSAL_LM",
            ),
        )  # fmt: skip
        return model.to(self._place.device)

    def _start(self, model: Any) -> Any:
        import deepspeed
        import torch

        if self._place.device == "cpu":
            # Made for sums within inference; without it nothing is compiled at the start (over a minute on a bare machine).
            deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False
        options = self._order.training
        optimizer = torch.optim.AdamW(
            list(self._parameters.values()), lr=0.0, betas=(0.9, 0.999), eps=1e-8, weight_decay=options.weight_decay
        )
        config = {
            "train_micro_batch_size_per_gpu": options.micro_batch,
            "gradient_accumulation_steps": self._accumulated,
            "gradient_clipping": options.clip,
            "zero_optimization": {"stage": options.zero_stage},
            "zero_allow_untested_optimizer": True,
            "zero_force_ds_cpu_optimizer": False,
            "bf16": {"enabled": self._bf16},
            "steps_per_print": 10**9,
        }
        engine, *_ = deepspeed.initialize(
            model=model, model_parameters=list(self._parameters.values()), optimizer=optimizer, config=config
        )
        return engine

    def _step(self, step: int, steps: int) -> dict[str, float]:
        import torch

        began = time.monotonic()
        options, order, place = self._order.training, self._order, self._place
        self._engine.train()
        torch.manual_seed(int(np.random.SeedSequence([options.seed, step, place.rank]).generate_state(1)[0]))
        batch = batch_of(step, self._lengths, options.batch, options.seed)
        tokens = answer_tokens([order.examples[one] for one in batch])
        rate = learning_rate(step, steps, options)
        for group in self._engine.optimizer.param_groups:
            group["lr"] = rate
        factor = scale(tokens, place.workers, self._accumulated)
        total = torch.zeros((), device=place.device)
        for places in micro_batches(share_of(batch, place.rank, place.workers), options.micro_batch):
            loss = self._loss([order.examples[one] for one in places])
            self._engine.backward(loss * factor)
            self._engine.step()
            total += loss.detach()
        return {
            "step": step + 1, "loss": self._sum(total) / tokens, "rate": rate,
            "tokens": float(sum(self._lengths[one] for one in batch)), "seconds": time.monotonic() - began,
        }  # fmt: skip

    def _loss(self, examples: Sequence[Encoded]) -> Any:
        import torch

        arrays = {
            name: torch.from_numpy(value).to(self._place.device)
            for name, value in pad(examples, self._order.padding).items()
        }
        logits = self._engine(input_ids=arrays["input_ids"], attention_mask=arrays["attention_mask"]).logits
        return summed_loss(logits, arrays["labels"])

    def _held_out(self) -> float:
        """Return the mean loss of the held-out answers' tokens. All workers look at as many (ZeRO-3 waits for all)."""
        import torch

        held, place = self._order.held_out, self._place
        self._engine.eval()
        total = torch.zeros((), device=place.device)
        with torch.no_grad():
            for start in range(0, len(held), place.workers):
                mine = start + place.rank
                loss = self._loss([held[mine if mine < len(held) else 0]])
                total += loss if mine < len(held) else 0
        return self._sum(total) / answer_tokens(held)

    def _sum(self, value: Any) -> float:
        import torch.distributed as dist

        dist.all_reduce(value)
        return float(value)
