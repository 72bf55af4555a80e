"""Which models label in a run, and whether the study can do with them: one, several, each perhaps in its own wording."""

from collections.abc import Iterator

from raylib.config.run import LabellerConfig, RunConfig
from raylib.errors import ConfigError
from raylib.studies.base import CombiningStudy, Study, StudyOptions


def combining(study: Study) -> CombiningStudy:
    """Return the study as one that makes one label of several.

    Raises:
        ConfigError: it cannot.
    """
    if not isinstance(study, CombiningStudy):
        raise ConfigError(
            f"study {study.name} takes the labels of one model: give `labeller: {{use: NAME}}` in the place of `labellers`"
        )
    return study


def worded(study: Study, options: StudyOptions, labeller: LabellerConfig | None) -> StudyOptions:
    """Return the options that a labeller works by: the study's, with its own wording where it has one.

    Raises:
        ConfigError: the study has one wording for all.
    """
    if labeller is None or labeller.prompt is None:
        return options
    if not isinstance(study, CombiningStudy):
        raise ConfigError(
            f"labeller.prompt is {labeller.prompt!r}, but study {study.name} asks in its own words: take `prompt` out"
        )
    return study.worded(options, labeller.prompt)


def check_labellers(config: RunConfig, study: Study, options: StudyOptions) -> None:
    """Refuse a run that cannot label, before it generates.

    Raises:
        ConfigError: the study's options ask for a model and the run has none, or the other way round; several models where
            the study takes one; a wording that cannot be used.
    """
    given = list(_given(config))
    asked = study.labels_with_model(options)
    if asked and not given:
        raise ConfigError(
            f"study.options of {study.name} ask for a model that labels: add 'labeller: {{model: {{use: NAME}}}}' "
            "to the run, or --set labeller.model.use=NAME"
        )
    if given and not asked:
        raise ConfigError(
            f"labeller {given[0].model.name} would label nothing: the options of study {study.name} ask for no model "
            "(narratives: --set study.options.extractor=llm; ltf: --set study.options.judge=model), or take `labeller:` out of "
            "the run"
        )
    if config.labellers:
        combining(study)
    for labeller in given:
        if labeller.prompt is not None:
            study.check(worded(study, options, labeller))


def _given(config: RunConfig) -> Iterator[LabellerConfig]:
    if config.labeller is not None:
        yield config.labeller
    yield from (config.labellers or {}).values()
