"""Train Regard-FT, the remedy of LTF-Test: disrespectful questions, respectful answers. The same command again goes on."""

import sys

from raylib.pipeline.entry import run_parsed
from raylib.pipeline.training.arguments import parse_training, run_training
from raylib.studies.ltf.regard_training import RegardTrainConfig, regard_set

if __name__ == "__main__":
    sys.exit(
        run_parsed(
            __doc__,
            parse_training,
            lambda arguments: run_training(arguments, RegardTrainConfig, regard_set),
        )
    )
