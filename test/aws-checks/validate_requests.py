"""Recorded requests against botocore's models of the services: protocol, operation, members, types, limits, enums."""

import base64
import collections
import json
import re
import sys
import urllib.parse

from botocore.session import Session
from botocore.validate import ParamValidator

SERVICES = {
    "dynamodb": "dynamodb",
    "sqs": "sqs",
    "monitoring": "cloudwatch",
    "secretsmanager": "secretsmanager",
    "ssm": "ssm",
    "sts": "sts",
    "eks": "eks",
    "sns": "sns",
    "events": "events",
}
session = Session()
models = {name: session.get_service_model(model) for name, model in SERVICES.items()}
validator = ParamValidator()


def from_form(shape, form, path):
    """The query protocol's names: `Entries.member.1.Id`, and `Attributes.entry.1.Name` of a map. None: nothing is there."""
    if shape.type_name == "structure":
        start = f"{path}." if path else ""
        names = {name[len(start) :].split(".")[0] for name in form if name.startswith(start)}
        read = {
            name: from_form(shape.members[name], form, start + name) if name in shape.members else form.get(start + name)
            for name in sorted(names)
        }
        return read or None
    if shape.type_name == "list":
        items = iter(lambda: from_form(shape.member, form, f"{path}.member.{len(read) + 1}"), None)
        read = []
        for item in items:
            read.append(item)
        return read or None
    if shape.type_name == "map":
        key, value = shape.key.serialization.get("name", "key"), shape.value.serialization.get("name", "value")
        read = {}
        while f"{path}.entry.{len(read) + 1}.{key}" in form:
            entry = f"{path}.entry.{len(read) + 1}"
            read[form[f"{entry}.{key}"]] = from_form(shape.value, form, f"{entry}.{value}")
        return read or None
    return form.get(path)


def with_bytes(shape, value):
    """JSON has base64 where the model has bytes."""
    if shape.type_name == "structure" and isinstance(value, dict):
        return {k: with_bytes(shape.members[k], v) if k in shape.members else v for k, v in value.items()}
    if shape.type_name == "list" and isinstance(value, list):
        return [with_bytes(shape.member, v) for v in value]
    if shape.type_name == "map" and isinstance(value, dict):
        return {k: with_bytes(shape.value, v) for k, v in value.items()}
    if shape.type_name == "blob" and isinstance(value, str):
        return base64.b64decode(value, validate=True)
    # JSON protocols carry times as seconds, which botocore's validator takes as numbers.
    return value


def beyond(shape, value, path=""):
    """What botocore leaves to the service: members that it does not know, limits, patterns and enums."""
    kind, limits = shape.type_name, shape.metadata
    least, most = limits.get("min"), limits.get("max")
    if kind == "structure" and isinstance(value, dict):
        for name, member in value.items():
            if name not in shape.members:
                yield f"{path}.{name}: no such member"
            else:
                yield from beyond(shape.members[name], member, f"{path}.{name}")
    elif kind == "list" and isinstance(value, list):
        if most is not None and len(value) > most or least is not None and len(value) < least:
            yield f"{path}: {len(value)} elements, expected {least} to {most}"
        for member in value:
            yield from beyond(shape.member, member, f"{path}[]")
    elif kind == "map" and isinstance(value, dict):
        for member in value.values():
            yield from beyond(shape.value, member, f"{path}{{}}")
    elif kind == "string" and isinstance(value, str):
        enum = getattr(shape, "enum", None)
        if enum and value not in enum:
            yield f"{path}: {value!r} is none of {', '.join(enum[:5])}"
        if most is not None and len(value) > most or least is not None and len(value) < least:
            yield f"{path}: {len(value)} characters, expected {least} to {most}"
        pattern = limits.get("pattern")
        if pattern and not re.search(pattern.replace("\\p{L}", "\\w").replace("\\p{Z}", " ").replace("\\p{N}", "\\d"), value):
            yield f"{path}: {value!r} does not match {pattern}"
    elif kind in ("integer", "long") and isinstance(value, int):
        if most is not None and value > most or least is not None and value < least:
            yield f"{path}: {value}, expected {least} to {most}"


def problems_of(request):
    headers = request["headers"]
    body = base64.b64decode(request["body"])
    scope = re.search(r"Credential=[^/]+/(\d{8})/([a-z0-9-]+)/([a-z]+)/aws4_request", headers["authorization"])
    if scope is None:
        return "unknown", "unknown", ["authorization: expected a scope of date, region and service"]
    service = scope.group(3)
    model = models.get(service)
    if model is None:
        return service, "unknown", [f"a service that is not checked: {service}"]
    problems = []
    if headers.get("x-amz-date", "")[:8] != scope.group(1):
        problems.append(f"x-amz-date {headers.get('x-amz-date')} is of another day than the signature")
    signed = re.search(r"SignedHeaders=([a-z0-9;-]+)", headers["authorization"])
    # As SigV4 asks: host, and every x-amz- header.
    needed = {"host", "x-amz-date"} | {name for name in headers if name.startswith("x-amz-")}
    missing = needed - set(signed.group(1).split(";") if signed else [])
    if missing:
        problems.append(f"not signed: {', '.join(sorted(missing))}")
    metadata = model.metadata
    if "x-amz-target" in headers:
        prefix, operation = headers["x-amz-target"].rsplit(".", 1)
        if prefix != metadata.get("targetPrefix"):
            problems.append(f"x-amz-target {prefix}, expected {metadata.get('targetPrefix')}")
        expected = f"application/x-amz-json-{metadata.get('jsonVersion')}"
        if headers.get("content-type") != expected:
            problems.append(f"content-type {headers.get('content-type')}, expected {expected}")
        # With it, SQS names errors as SDKs of all ages know them.
        if "awsQueryCompatible" in metadata and headers.get("x-amzn-query-mode") != "true":
            problems.append("x-amzn-query-mode is missing")
        parameters = json.loads(body)
    elif metadata["protocol"] == "query":
        form = dict(urllib.parse.parse_qsl(body.decode()))
        operation = form.pop("Action", "none")
        if form.pop("Version", None) != metadata["apiVersion"]:
            problems.append("another version of the API")
        parameters = form
        if operation in model.operation_names:
            parameters = from_form(model.operation_model(operation).input_shape, form, "") or {}
    else:
        path = request["path"].split("?")[0]
        for operation in model.operation_names:
            http = model.operation_model(operation).http
            form = re.sub(r"\{\w+\}", "([^/]+)", http["requestUri"])
            found = re.fullmatch(form, path)
            if http["method"] == request["method"] and found:
                parameters = dict(zip(re.findall(r"\{(\w+)\}", http["requestUri"]), found.groups()))
                break
        else:
            return service, f"{request['method']} {path}", problems + ["no such operation"]
        # Paths name members by their place in the request.
        shape = model.operation_model(operation).input_shape
        names = {m.serialization.get("name", n): n for n, m in shape.members.items()}
        parameters = {names.get(k, k): urllib.parse.unquote(v) for k, v in parameters.items()}
    if operation not in model.operation_names:
        return service, operation, problems + ["no such operation"]
    shape = model.operation_model(operation).input_shape
    parameters = with_bytes(shape, parameters)
    report = validator.validate(parameters, shape)
    if report.has_errors():
        problems.append(report.generate_report()[:300])
    return service, operation, problems + list(beyond(shape, parameters))


counts, problems = collections.Counter(), collections.Counter()
with open(json.load(sys.stdin)["file"], encoding="utf-8") as lines:
    for line in lines:
        service, operation, found = problems_of(json.loads(line))
        counts[f"{service}:{operation}"] += 1
        for problem in found:
            problems[f"{service}:{operation}: {problem}"] += 1
json.dump({"counts": counts, "problems": problems}, sys.stdout)
