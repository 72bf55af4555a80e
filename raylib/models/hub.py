"""Fetch a model from the Hugging Face hub into its own cache: safetensors and tokenizer, no pickles, no code."""

from pathlib import Path

from raylib.errors import ModelError
from raylib.models.hashing import MODEL_FILES
from raylib.models.source import HubSource


def fetch_from_hub(source: HubSource) -> Path:
    """Return the snapshot folder; files that are in the hub's cache already are not downloaded again.

    A token for gated models is taken from HF_TOKEN or `hf auth login`, as by all of the hub's tools.

    Raises:
        ModelError: no such model or revision, no access, or no network and not in the cache.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    name = f"{source.repo}@{source.revision}"
    try:
        path = snapshot_download(source.repo, revision=source.revision, allow_patterns=list(MODEL_FILES))
    except GatedRepoError as error:
        raise ModelError(
            f"model {name} is gated: accept its licence on the hub, then set HF_TOKEN to a token of yours"
        ) from error
    except RevisionNotFoundError as error:
        raise ModelError(f"model {source.repo} has no revision {source.revision!r} on the hub") from error
    except RepositoryNotFoundError as error:
        raise ModelError(
            f"there is no model {source.repo!r} on the hub (a private one needs HF_TOKEN): check `source:`"
        ) from error
    except (LocalEntryNotFoundError, HfHubHTTPError, OSError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ModelError(
            f"cannot fetch model {name} from the hub, and it is not whole in the cache ({reason}): check the network "
            "and HF_HUB_OFFLINE, or give a folder as `source:`"
        ) from error
    return Path(path)
