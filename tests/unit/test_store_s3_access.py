"""What a user reads when a bucket, a key or an address is wrong; and that no secret is ever in it."""

import pickle
import traceback

import pytest

from raylib.errors import ConfigError, StoreError
from raylib.store.open import StoreOptions, open_store
from raylib.store.probe import probe
from raylib.store.s3 import S3Store
from tests.s3_servers import ACCESS_KEY, ACCESS_KEY_ENV, SECRET_KEY, SECRET_KEY_ENV, Server


def test_a_bucket_that_does_not_exist_is_named(s3: Server) -> None:
    store = s3.store("no-such-bucket")
    for call in (lambda: store.put_if_absent("a", b"x"), lambda: store.get("a"), lambda: store.exists("a")):
        with pytest.raises(StoreError, match=r"bucket 'no-such-bucket' does not exist; create it or correct store.url"):
            call()


@pytest.mark.ceph
@pytest.mark.parametrize(
    ("variable", "reason"),
    [
        (SECRET_KEY_ENV, "the secret key does not go with the access key"),
        (ACCESS_KEY_ENV, "the access key is not known"),
    ],
)
def test_wrong_credentials_name_the_variables_and_not_their_values(
    ceph: Server, monkeypatch: pytest.MonkeyPatch, variable: str, reason: str
) -> None:
    store = ceph.store()
    monkeypatch.setenv(variable, "wrong-value")
    with pytest.raises(StoreError, match=f"{reason}.*correct {ACCESS_KEY_ENV} and {SECRET_KEY_ENV}") as error:
        probe(store)
    text = "".join(traceback.format_exception(error.value))
    assert SECRET_KEY not in text
    assert "wrong-value" not in str(error.value)


def test_a_variable_that_is_not_set_is_named(moto: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    store = moto.store()
    monkeypatch.delenv(SECRET_KEY_ENV)
    with pytest.raises(StoreError, match=rf"{SECRET_KEY_ENV} \(store.secret_key_env\) is not set on this machine"):
        store.exists("a")


def test_no_credentials_at_all_say_which_variables_to_set(moto: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    store = S3Store("bucket", endpoint_url=moto.endpoint)
    with pytest.raises(
        StoreError, match=r"no credentials .* AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name others"
    ):
        store.put_if_absent("a", b"x")


def test_boto3s_own_chain_is_used_where_no_variables_are_named(s3: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
    assert S3Store(s3.new_bucket(), endpoint_url=s3.endpoint).put_if_absent("a", b"x") is True


def test_neither_pickle_nor_text_of_a_connected_store_holds_a_secret(moto: Server) -> None:
    store = moto.store()
    store.put_if_absent("a", b"x")
    for text in (pickle.dumps(store), repr(store).encode(), str(store).encode(), store.url.encode()):
        assert SECRET_KEY.encode() not in text
        assert ACCESS_KEY.encode() not in text
    assert SECRET_KEY_ENV.encode() in pickle.dumps(store)


def test_a_listing_longer_than_a_page_is_whole(s3: Server) -> None:
    store = s3.store()
    client = store._client()
    bucket = store.url.split("/")[2]
    whole = client.list_objects_v2
    client.list_objects_v2 = lambda **arguments: whole(**{"MaxKeys": 3, **arguments})
    for number in range(10):
        store.put_if_absent(f"n/{number}", b"x")
    client.put_object(Bucket=bucket, Key="results/n/folder/", Body=b"")
    client.put_object(Bucket=bucket, Key="elsewhere/n/1", Body=b"")
    assert [info.key for info in store.list("n/")] == [f"n/{number}" for number in range(10)]


def test_user_metadata_goes_with_the_object(s3: Server) -> None:
    store = s3.store()
    store.put_if_absent("a", b"x", {"rows": "7"})
    head = store._client().head_object(Bucket=store.url.split("/")[2], Key="results/a")
    # sha256 of b"x"
    digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    assert head["Metadata"] == {"rows": "7", "sha256": digest}


def test_options_open_the_store_that_they_name(s3: Server) -> None:
    bucket = s3.new_bucket()
    options = StoreOptions(f"s3://{bucket}/a/b/", s3.endpoint, "us-east-1", ACCESS_KEY_ENV, SECRET_KEY_ENV)
    store = open_store(pickle.loads(pickle.dumps(options)))
    assert store.url == f"s3://{bucket}/a/b"
    assert store.put_if_absent("c", b"x")
    assert [info.key for info in s3.store(bucket).list("")] == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"url": "gs://bucket"}, r"store.url 'gs:/...' is not a store; valid: a folder .*s3://bucket/prefix"),
        ({"url": "https://user:planted@host/"}, r"store.url 'https:/...' is not a store"),
        ({"url": ""}, "is not a store"),
        ({"url": "s3:/bucket"}, "has two slashes"),
        ({"url": "file://data/runs"}, "has three slashes"),
        ({"url": "s3://Bucket_"}, "is no bucket name"),
        ({"url": "s3://"}, "is no bucket name"),
        ({"url": "s3://key:planted@bucket/p"}, "holds a user or a key before '@'"),
        ({"endpoint": "localhost:9000"}, "is not an address; use http://host:port"),
        ({"endpoint": "http://user:planted@host"}, "holds a user or a password before '@'"),
        ({"access_key_env": "A"}, "give both access_key_env and secret_key_env, or neither"),
        ({"access_key_env": "A", "secret_key_env": "planted/+="}, "must be the NAME of an environment variable"),
    ],
)
def test_options_that_cannot_work_are_one_line_without_the_secret(changes: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as error:
        StoreOptions(**{"url": "s3://bucket/prefix", **changes})
    assert "planted" not in str(error.value)
    assert "\n" not in str(error.value)


def test_a_prefix_with_two_dots_is_refused() -> None:
    with pytest.raises(StoreError, match="not a valid key"):
        open_store(StoreOptions("s3://bucket/a/../b"))
