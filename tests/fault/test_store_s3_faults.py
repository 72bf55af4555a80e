"""An S3 server that loses replies, answers with errors, breaks connections and hangs: objects stay exactly once."""

import re
import time

import pytest

from raylib.errors import StoreError
from raylib.store.probe import probe
from raylib.store.s3 import S3Store
from tests.s3_proxy import Fault, Proxy, s3_proxy
from tests.s3_servers import QUICK, Server


@pytest.fixture
def spoiled(s3: Server, proxy: Proxy) -> S3Store:
    """A store behind the proxy."""
    return s3.store(endpoint=proxy.endpoint)


@pytest.mark.parametrize(
    "fault",
    [
        Fault("lose_reply"),
        Fault("status_after", status=500),
        Fault("status_after", status=503, code="SlowDown"),
        Fault("status_after", status=409, code="ConditionalRequestConflict"),
    ],
    ids=["reply lost", "500 after", "503 after", "409 after"],
)
def test_a_put_that_was_carried_out_without_a_good_answer_counts_as_created(
    spoiled: S3Store, proxy: Proxy, fault: Fault
) -> None:
    proxy.faults.append(fault)
    assert spoiled.put_if_absent("a", b"mine") is True
    assert proxy.seen.count("PUT") == 2
    assert [info.key for info in spoiled.list("")] == ["a"]
    assert spoiled.get("a") == b"mine"


def test_a_lost_reply_of_a_put_that_another_writer_had_beaten_counts_as_lost(spoiled: S3Store, proxy: Proxy) -> None:
    spoiled.put_if_absent("a", b"his.")
    proxy.faults.append(Fault("lose_reply"))
    assert spoiled.put_if_absent("a", b"mine") is False
    assert spoiled.get("a") == b"his."


def test_an_object_without_our_metadata_is_compared_byte_by_byte(s3: Server, spoiled: S3Store, proxy: Proxy) -> None:
    client = spoiled._client()
    client.put_object(Bucket=spoiled.url.split("/")[2], Key="results/a", Body=b"same")
    client.put_object(Bucket=spoiled.url.split("/")[2], Key="results/b", Body=b"othr")
    proxy.faults.append(Fault("lose_reply"))
    assert spoiled.put_if_absent("a", b"same") is True
    proxy.faults.append(Fault("lose_reply"))
    assert spoiled.put_if_absent("b", b"same") is False


@pytest.mark.parametrize(
    "fault",
    [
        Fault("reset"),
        Fault("status", status=500),
        Fault("status", status=503, code="SlowDown"),
        Fault("status", status=409, code="ConditionalRequestConflict"),
        Fault("status", status=400, code="RequestTimeout"),
    ],
    ids=["reset", "500", "SlowDown", "409", "RequestTimeout"],
)
def test_a_put_that_failed_before_it_was_carried_out_is_repeated(spoiled: S3Store, proxy: Proxy, fault: Fault) -> None:
    proxy.faults.append(fault)
    assert spoiled.put_if_absent("a", b"mine") is True
    assert spoiled.get("a") == b"mine"


def test_a_put_that_is_never_answered_is_given_up_and_repeated(s3: Server, proxy: Proxy) -> None:
    # Many attempts: on a busy machine a good answer too may take longer than this short time.
    store = s3.store(endpoint=proxy.endpoint, patience=QUICK._replace(read_s=0.5, attempts=30))
    proxy.faults.append(Fault("hang", seconds=1.5))
    assert store.put_if_absent("a", b"mine") is True
    assert proxy.seen.count("PUT") >= 2
    assert store.get("a") == b"mine"


@pytest.mark.parametrize("kind", ["reset", "cut_body", "lose_reply"])
def test_a_read_whose_answer_breaks_off_is_repeated(spoiled: S3Store, proxy: Proxy, kind: str) -> None:
    data = b"x" * 100_000
    spoiled.put_if_absent("a", data)
    proxy.faults.append(Fault(kind, method="GET"))  # type: ignore[arg-type]
    assert spoiled.get("a") == data
    proxy.faults.append(Fault(kind, method="GET"))  # type: ignore[arg-type]
    assert [info.size for info in spoiled.list("")] == [100_000]


def test_errors_without_end_become_one_line_after_the_configured_attempts(spoiled: S3Store, proxy: Proxy) -> None:
    proxy.faults += [Fault("status", status=503, code="SlowDown")] * 10
    with pytest.raises(
        StoreError, match=r"cannot write s3://.*/results/a .* answered 503 SlowDown 4 times; wait"
    ) as error:
        spoiled.put_if_absent("a", b"x")
    assert "\n" not in str(error.value)
    assert proxy.seen == ["PUT"] * 4


def test_a_server_that_breaks_every_connection_becomes_one_line(spoiled: S3Store, proxy: Proxy) -> None:
    proxy.faults += [Fault("reset", method="GET")] * 10
    with pytest.raises(StoreError, match=r"no complete answer .* after 4 attempts"):
        spoiled.get("a")


def test_a_refusal_that_will_not_change_is_not_repeated(spoiled: S3Store, proxy: Proxy) -> None:
    proxy.faults.append(Fault("status", status=403, code="AccessDenied"))
    with pytest.raises(StoreError, match=r"access denied \(AccessDenied\).* need s3:GetObject, s3:PutObject"):
        spoiled.put_if_absent("a", b"x")
    assert proxy.seen == ["PUT"]


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (501, "NotImplemented", r"does not know conditional puts \(If-None-Match\)"),
        (507, "InsufficientStorage", "full or over quota"),
        (403, "QuotaExceeded", "full or over quota"),
        (403, "RequestTimeTooSkewed", "clock differs"),
        (403, "ExpiredToken", "session token is expired"),
        (400, "AuthorizationHeaderMalformed", "is in another region; set store.region"),
        (400, "EntityTooLarge", "answered 400 EntityTooLarge; check store.url"),
    ],
)
def test_each_refusal_says_what_to_do(spoiled: S3Store, proxy: Proxy, status: int, code: str, message: str) -> None:
    proxy.faults += [Fault("status", status=status, code=code)] * 3  # boto3 asks for the region's sake once more
    with pytest.raises(StoreError, match=message):
        spoiled.put_if_absent("a", b"x")


def test_only_our_own_layer_repeats_a_request(spoiled: S3Store, proxy: Proxy) -> None:
    # Were boto3 to repeat it, the second put would end in 412 and our own object look like another writer's.
    once = S3Store(
        spoiled.url.split("/")[2], endpoint_url=proxy.endpoint, access_key_env=spoiled._access_key_env,
        secret_key_env=spoiled._secret_key_env, patience=QUICK._replace(attempts=1),
    )  # fmt: skip
    proxy.faults.append(Fault("lose_reply"))
    with pytest.raises(StoreError, match="no complete answer"):
        once.put_if_absent("a", b"x")
    assert proxy.seen == ["PUT"]


def test_a_store_that_ignores_put_if_absent_is_refused(moto: Server) -> None:
    # Only on moto: a real server notices that the signed header was taken out.
    with s3_proxy(moto.endpoint) as proxy:
        proxy.drop_conditions = True
        store = moto.store(endpoint=proxy.endpoint)
        with pytest.raises(
            StoreError, match=r"ignores put-if-absent \(If-None-Match: \*\).*refusing to run.*Use AWS S3"
        ):
            probe(store)


def test_the_probe_passes_where_replies_are_lost(spoiled: S3Store, proxy: Proxy) -> None:
    proxy.faults.append(Fault("lose_reply"))
    probe(spoiled)


def test_an_unreachable_endpoint_shows_within_seconds(moto: Server) -> None:
    with s3_proxy(moto.endpoint) as closed:
        pass
    store = moto.store("bucket", endpoint=closed.endpoint, patience=type(QUICK)())
    start = time.monotonic()
    with pytest.raises(
        StoreError, match=re.escape(f"endpoint {closed.endpoint}") + ".*cannot be reached; check store.endpoint"
    ):
        probe(store)
    assert time.monotonic() - start < 15
