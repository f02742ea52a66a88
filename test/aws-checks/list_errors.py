"""The errors that botocore's models name for operations, and those that botocore itself retries."""

import json
import sys

from botocore.retries.standard import ThrottledRetryableChecker, TransientRetryableChecker
from botocore.session import Session

session = Session()
errors = []
for service, operations in json.load(sys.stdin)["operations"].items():
    model = session.get_service_model(service)
    for operation in operations:
        for shape in model.operation_model(operation).error_shapes:
            error = shape.metadata.get("error", {})
            retryable = shape.metadata.get("retryable")
            errors.append(
                {
                    "service": service,
                    "operation": operation,
                    # JSON protocols send the shape's name, the older ones its code.
                    "names": sorted({shape.name, error.get("code", shape.name)}),
                    "status": error.get("httpStatusCode"),
                    "throttles": bool(retryable and retryable.get("throttling")),
                    "server": bool(shape.metadata.get("fault")),
                }
            )
json.dump(
    {
        "errors": errors,
        "throttled": sorted(ThrottledRetryableChecker._THROTTLED_ERROR_CODES),
        "transient": sorted(TransientRetryableChecker._TRANSIENT_ERROR_CODES),
    },
    sys.stdout,
)
