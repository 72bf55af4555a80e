"""What an S3 failure means: whether to ask again, and the one line that a person reads."""

from typing import NamedTuple

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,
    ConnectTimeoutError,
    EndpointConnectionError,
    HTTPClientError,
    IncompleteReadError,
    NoCredentialsError,
    PartialCredentialsError,
    ProxyConnectionError,
    ReadTimeoutError,
    ResponseStreamingError,
    SSLError,
)
from botocore.parsers import ResponseParserError

from raylib.errors import StoreError

FAILURES: tuple[type[Exception], ...] = (BotoCoreError, ClientError, ResponseParserError)
"""Everything that a call to boto3 raises for a request that did not succeed."""

_UNREACHED = (EndpointConnectionError, ConnectTimeoutError, ProxyConnectionError)
_BROKEN_OFF = (
    ConnectionError, HTTPClientError, IncompleteReadError, ReadTimeoutError, ResponseParserError,
    ResponseStreamingError,
)  # fmt: skip
_TRANSIENT_CODES = {
    "BadDigest", "ConditionalRequestConflict", "OperationAborted", "RequestTimeout", "SlowDown", "Throttling",
    "ThrottlingException", "TooManyRequests",
}  # fmt: skip
_OTHER_REGION = {
    "PermanentRedirect",
    "AuthorizationHeaderMalformed",
    "IllegalLocationConstraintException",
    "301",
    "307",
}
_LASTING_STATUS = {501, 507}  # not implemented, full: asking again changes nothing


class Address(NamedTuple):
    """Where a store is and whose keys it uses, as far as a message may say it: names, never values."""

    url: str
    bucket: str
    endpoint: str
    access_key_env: str | None
    secret_key_env: str | None

    @property
    def key_names(self) -> str:
        """The environment variables that hold the keys, in words."""
        return f"{self.access_key_env or 'AWS_ACCESS_KEY_ID'} and {self.secret_key_env or 'AWS_SECRET_ACCESS_KEY'}"


def code_of(error: Exception) -> str:
    """Return S3's error code ('NoSuchKey'; '404' where a reply has no body), or '' if no answer came."""
    return str(error.response.get("Error", {}).get("Code", "")) if isinstance(error, ClientError) else ""


def is_unreached(error: Exception) -> bool:
    """Say whether no connection was made, so that the request cannot have had an effect."""
    return isinstance(error, _UNREACHED)


def is_transient(error: Exception) -> bool:
    """Say whether asking again may help. A put that failed so may have been carried out all the same."""
    if isinstance(error, SSLError):
        return False
    if isinstance(error, ClientError):
        status = _status(error)
        passing = status in (408, 429) or (status >= 500 and status not in _LASTING_STATUS)
        return passing or code_of(error) in _TRANSIENT_CODES
    return isinstance(error, _BROKEN_OFF) or is_unreached(error)


def explain(error: Exception, action: str, address: Address, attempts: int) -> StoreError:
    """Return the one line for a failure: what was tried, why it failed, what to do."""
    where = f"cannot {action} (endpoint {address.endpoint})"
    if isinstance(error, NoCredentialsError | PartialCredentialsError):
        return StoreError(
            f"{where}: no credentials on this machine; set the environment variables {address.key_names}, "
            "or name others in store.access_key_env and store.secret_key_env"
        )
    if isinstance(error, SSLError):
        return StoreError(f"{where}: TLS failed; check store.endpoint (http or https?) and its certificate")
    if is_unreached(error):
        return StoreError(f"{where}: the endpoint cannot be reached; check store.endpoint, the network and the server")
    if isinstance(error, ClientError):
        return StoreError(f"{where}: {_reason(error, address, attempts)}")
    tries = f" after {attempts} attempts" if attempts > 1 else ""
    return StoreError(f"{where}: no complete answer ({type(error).__name__}){tries}; check the network and the server")


def _reason(error: ClientError, address: Address, attempts: int) -> str:
    code, status = code_of(error), _status(error)
    if code == "NoSuchBucket":
        return f"bucket {address.bucket!r} does not exist; create it or correct store.url"
    if code == "InvalidAccessKeyId":
        return f"the access key is not known there; correct {address.key_names}"
    if code == "SignatureDoesNotMatch":
        return f"the secret key does not go with the access key; correct {address.key_names}"
    if code in ("ExpiredToken", "InvalidToken", "TokenRefreshRequired"):
        return f"the session token is expired or wrong; renew the credentials ({address.key_names}, AWS_SESSION_TOKEN)"
    if code == "RequestTimeTooSkewed":
        return "this machine's clock differs from the server's by more than 15 minutes; set it right"
    if code in _OTHER_REGION:
        return f"bucket {address.bucket!r} is in another region; set store.region to it"
    if code == "QuotaExceeded" or status == 507:
        return "the store is full or over quota; free some space or choose another store.url"
    if code == "NotImplemented" or status == 501:
        return "the server does not know conditional puts (If-None-Match); use AWS S3 or a Ceph gateway"
    if status == 403:
        return (
            f"access denied ({code}); the keys in {address.key_names} need s3:GetObject, s3:PutObject "
            f"and s3:ListBucket on bucket {address.bucket!r}"
        )
    if is_transient(error):
        return f"the server answered {status} {code} {attempts} times; wait and run the same command again"
    return f"the server answered {status} {code}; check store.url, store.endpoint and store.region"


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
