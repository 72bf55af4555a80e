"""The losses of a training by step: each step's, and that of held-out examples where it was measured."""

from collections.abc import Mapping, Sequence

from raylib.report.canvas import BLUE, GRID, SOFT, VERMILION, WIDE, look, new_figure, to_png


def loss_curves(history: Sequence[Mapping[str, float]], held_out: int) -> bytes:
    """Return the curves as PNG.

    Args:
        history: a mapping a step: `step`, `loss`; `held_out` at some of them.
        held_out: how many examples are held out; it stands in the legend.
    """
    with look():
        figure = new_figure(WIDE, 360)
        plot = figure.add_axes((0.07, 0.14, 0.91, 0.76))
        steps = [one for one in history if "loss" in one]
        plot.plot(
            [one["step"] for one in steps], [one["loss"] for one in steps], color=BLUE, linewidth=1.2, label="training"
        )
        held = [one for one in history if "held_out" in one]
        if held:
            plot.plot(
                [one["step"] for one in held], [one["held_out"] for one in held], color=VERMILION, linestyle="--",
                marker="o", markersize=4, linewidth=1.8, label=f"held-out (n = {held_out})",
            )  # fmt: skip
        plot.set_xlabel("Step", fontsize=9, color=SOFT)
        plot.set_ylabel("Loss a token", fontsize=9, color=SOFT)
        plot.set_ylim(bottom=0)
        plot.grid(axis="y", color=GRID)
        plot.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="upper right", frameon=False, fontsize=9, ncols=2)
        return to_png(figure)
