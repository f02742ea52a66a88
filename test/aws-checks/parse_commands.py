"""Lines of the AWS CLI, run by itself up to the request: services, operations, options and values. Nothing is sent."""

import contextlib
import io
import json
import os
import sys
from unittest import mock

import botocore.endpoint
from awscli.clidriver import create_clidriver

os.environ.update(
    AWS_ACCESS_KEY_ID="AKIDEXAMPLE",
    AWS_SECRET_ACCESS_KEY="example",
    AWS_CONFIG_FILE="/dev/null",
    AWS_SHARED_CREDENTIALS_FILE="/dev/null",
    AWS_DEFAULT_REGION="eu-central-1",
)


class Sent(Exception):
    pass


def refuse(self, operation_model, request_dict):
    raise Sent(f"{operation_model.service_model.service_name}:{operation_model.name}")


def outcome_of(words):
    printed = io.StringIO()
    with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(printed):
        try:
            create_clidriver().main(words)
        except SystemExit:
            pass
    return printed.getvalue().strip()


with mock.patch.object(botocore.endpoint.Endpoint, "make_request", refuse):
    outcomes = [outcome_of(words) for words in json.load(sys.stdin)["commands"]]
json.dump(outcomes, sys.stdout)
