"""Train the labelling model of the narratives study on hand-labelled stories. The same command again goes on."""

import sys

from raylib.pipeline.entry import run_parsed
from raylib.pipeline.training.arguments import parse_training, run_training
from raylib.studies.narratives.training import ExtractorTrainConfig, extractor_examples

if __name__ == "__main__":
    sys.exit(
        run_parsed(
            __doc__,
            parse_training,
            lambda arguments: run_training(arguments, ExtractorTrainConfig, extractor_examples),
        )
    )
