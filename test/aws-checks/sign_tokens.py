"""The tokens of botocore and of the AWS CLI, at a given time, and the endpoints that botocore resolves."""

import datetime
import json
import sys
from unittest import mock

import botocore.auth
from awscli.customizations.eks.get_token import STSClientFactory, TokenGenerator
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.endpoint_provider import EndpointProvider
from botocore.session import Session

asked = json.load(sys.stdin)
now = datetime.datetime.fromtimestamp(asked["clock"] / 1000, datetime.timezone.utc)


def session_with(credentials):
    session = Session()
    session.set_credentials(credentials["accessKeyId"], credentials["secretAccessKey"], credentials.get("sessionToken"))
    return session


def eks(session, cluster):
    client = STSClientFactory(session).get_sts_client(region_name=cluster["region"])
    return TokenGenerator(client).get_token(cluster["clusterName"])


def rds(session, login):
    client = session.create_client("rds", region_name=login["region"])
    return client.generate_db_auth_token(login["host"], login["port"], login["username"], login["region"])


def msk(session, broker):
    """As github.com/aws/aws-msk-iam-sasl-signer-python makes it: a presigned request of this service."""
    url = f"https://kafka.{broker['region']}.amazonaws.com/?Action=kafka-cluster%3AConnect"
    request = AWSRequest(method="GET", url=url)
    credentials = session.get_credentials()
    frozen = Credentials(credentials.access_key, credentials.secret_key, credentials.token)
    botocore.auth.SigV4QueryAuth(frozen, "kafka-cluster", broker["region"], expires=900).add_auth(request)
    return request.url


def endpoints():
    session = Session()
    loader = session.get_component("data_loader")
    partitions = loader.load_data("partitions")
    found = {}
    for service in asked["services"]:
        provider = EndpointProvider(loader.load_service_model(service, "endpoint-rule-set-1"), partitions)
        for partition in partitions["partitions"]:
            for region in partition["regions"]:
                if region.endswith("-global"):
                    continue
                given = {"Region": region, "UseDualStack": False, "UseFIPS": False}
                found[f"{service} {region}"] = provider.resolve_endpoint(**given).url
    return found


kinds = {"eks": eks, "rds": rds, "msk": msk}
with mock.patch.object(botocore.auth, "get_current_datetime", lambda *_, **__: now):
    tokens = [kinds[each["kind"]](session_with(each["credentials"]), each["of"]) for each in asked["tokens"]]
json.dump({"tokens": tokens, "endpoints": endpoints()}, sys.stdout)
