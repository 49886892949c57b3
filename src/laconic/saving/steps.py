"""Encode and decode the steps of a saved model: their classes, parameters and fitted attributes."""

from __future__ import annotations

import logging
import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import laconic
from laconic.errors import LaconicError, ModelFileError
from laconic.files.json_values import VOCABULARIES, Decoder, Encoder, readable
from laconic.models import CLASSES
from laconic.saving.checks import check_attributes, check_estimator
from laconic.saving.stand_ins import STEPS, StandIn, has_stand_in, stand_in_for

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

logger = logging.getLogger(__name__)

FITTED = re.compile(r"[A-Za-z]\w*_")  # names of fitted attributes, as in scikit-learn

# Names of parameters that are neither saved nor loaded. An engine may be the URL of a Dask
# scheduler, and data from a scheduler is unpickled, so a loaded model must not connect to a saved
# URL. A checkpoint is a path, and a loaded model must not read or write files at a saved path.
UNSAVED = frozenset({"engine", "checkpoint"})
PATHS = frozenset({"groups"})  # parameters whose value may be a path, which is not saved either
MAX_ATTRIBUTES = 1000


def classes() -> dict[str, type[BaseEstimator]]:
    """Return a mapping from names in ``model.json`` to the classes that can be saved."""
    from laconic.models import MODELS

    return {"vectorizer": laconic.Vectorizer, "weighting": laconic.Weighting, **MODELS}


def class_named(folder: Path, name: object) -> type[BaseEstimator]:
    """Return the class that has this name in ``model.json``; raise if the name is unknown."""
    if has_stand_in(name):
        return getattr(laconic, STEPS[name])  # Other classes are not imported.
    known = classes()
    if not isinstance(name, str) or name not in known:
        raise ModelFileError(
            folder / "model.json",
            f"contains the unknown model {name!r}; known models: {', '.join(sorted(known))}",
        )
    return known[name]


def encode_step(encoder: Encoder, name: str, estimator: Any, class_name: str) -> dict[str, Any]:
    """Encode one estimator as JSON."""
    fitted = {key: value for key, value in vars(estimator).items() if FITTED.fullmatch(key)}
    try:
        check = check_attributes if isinstance(estimator, StandIn) else check_estimator
        check(class_name, estimator)
    except LaconicError as error:  # A folder that could not be loaded must not be written.
        raise LaconicError(f"This model cannot be saved: {clause(error)}.") from error
    params = without_unsaved(estimator.get_params(deep=False))
    for key in PATHS & params.keys():
        if isinstance(params[key], (str, PurePath)):
            logger.info("%s.%s is saved as None, because it is the path of a file", name, key)
            params[key] = None

    def encode(values: dict[str, Any]) -> dict[str, Any]:
        return {key: encoder.encode(value, f"{name}.{key}") for key, value in values.items()}

    return {
        "name": name,
        "class": class_name,
        "params": encode(params),
        "attributes": encode(dict(sorted(fitted.items()))),
    }


def decode_step(decoder: Decoder, tree: dict[str, Any], stand_in: bool) -> tuple[str, Any]:
    """Return the name and the estimator of a saved step, or a stand-in for the estimator."""
    name = tree["class"]
    cls: Any = stand_in_for(name) if stand_in else class_named(decoder.folder, name)
    saved = without_unsaved(tree["params"])
    params = {name: decoder.decode(value) for name, value in saved.items()}
    unknown = [] if stand_in else sorted(set(params) - set(cls._get_param_names()))
    if unknown:
        raise ModelFileError(
            decoder.folder / "model.json",
            f"sets the parameter {unknown[0]!r}, which {cls.__name__} does not have",
        )
    for name in PATHS & params.keys():
        if isinstance(params[name], str):
            logger.warning(
                "%s: the parameter %s is the path of a file, which is not loaded; before another "
                "fit, set it with set_params",
                decoder.folder,
                name,
            )
            params[name] = None
    estimator = cls(**params)
    if len(tree["attributes"]) > MAX_ATTRIBUTES:
        raise decoder.damaged(f"it has {len(tree['attributes']):,} attributes")
    for name, value in tree["attributes"].items():
        if not FITTED.fullmatch(name) or hasattr(cls, name):
            raise ModelFileError(
                decoder.folder / "model.json",
                f"sets {name!r}, which is not a fitted attribute of {cls.__name__}",
            )
        setattr(estimator, name, decoder.decode(value))
    if isinstance(getattr(estimator, "settings_", None), dict) and not stand_in:
        from laconic.text.defaults import NO_SETTINGS, complete_settings

        # Older versions had fewer settings.
        complete = complete_settings(estimator.settings_)
        known = {key: value for key, value in complete.items() if key not in NO_SETTINGS}
        estimator.settings_ = {**known, **estimator.settings_}
    return str(tree["name"]), estimator


def shown_parameters(step: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a saved step for display; long values are described."""
    values = {name: readable(value) for name, value in without_unsaved(step["params"]).items()}
    return {name: value if len(str(value)) < 500 else "(long)" for name, value in values.items()}


def without_unsaved(params: dict[str, Any]) -> dict[str, Any]:
    """Remove the parameters in `UNSAVED`, which folders of older versions may contain."""
    return {name: value for name, value in params.items() if name not in UNSAVED}


def check_order(trees: list[dict[str, Any]]) -> None:
    """Raise if scikit-learn would not accept the steps as a pipeline, or they make no sense."""
    names = [str(tree["name"]) for tree in trees]
    if len(set(names)) < len(names) or any("__" in name or not name for name in names):
        raise LaconicError("the names of its steps are not valid")
    reserved = {"steps", "memory", "verbose", "transform_input"} & set(names)
    if reserved:
        raise LaconicError(f"{min(reserved)!r} is not valid as the name of a step")
    for position, tree in enumerate(trees):
        if tree["class"] in CLASSES and position < len(trees) - 1:
            raise LaconicError(f"{CLASSES[tree['class']]} is not its last step")
        if tree["class"] == "vectorizer" and position > 0:
            raise LaconicError("its Vectorizer is not its first step")


def clause(error: LaconicError) -> str:
    """Return the message of an error as a clause without a full stop."""
    return str(error).rstrip(".").replace("\n", " ")


def check_widths(folder: Path, steps: list[Any]) -> None:
    """Raise if attributes differ in the number of words; kernels would read out of bounds."""
    widths = {
        f"{type(step).__name__}.{name}": width
        for step in steps
        for name, value in vars(step).items()
        if (width := _width(name, value)) is not None
    }
    for step in steps:
        # Without n_features_in_, scikit-learn would not check the number of columns of X.
        if hasattr(step, "components_") and not hasattr(step, "n_features_in_"):
            raise ModelFileError(
                folder / "model.json", "is damaged: the attribute n_features_in_ is missing"
            )
    if len(set(widths.values())) > 1:
        listed = ", ".join(f"{name} has {width}" for name, width in widths.items())
        raise ModelFileError(
            folder, f"is damaged, because its parts have different numbers of words: {listed}"
        )


def _width(name: str, value: Any) -> int | None:
    """Return the number of words in a fitted attribute, or None if it has no axis of words."""
    if name == "n_features_in_":
        return value
    if name in ("components_", "scale_") and value is not None:
        return value.shape[-1]
    return len(value) if name in VOCABULARIES and value is not None else None
