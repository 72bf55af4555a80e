"""Train a judge of one's own for LTF-Test on the essays of a judged run. The same command again goes on."""

import sys

from raylib.pipeline.entry import run_parsed
from raylib.pipeline.training.arguments import parse_training, run_training
from raylib.pipeline.training.evaluator import EvaluatorTrainConfig, evaluator_set

if __name__ == "__main__":
    sys.exit(
        run_parsed(
            __doc__,
            parse_training,
            lambda arguments: run_training(arguments, EvaluatorTrainConfig, evaluator_set),
        )
    )
