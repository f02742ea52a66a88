"""moto, and what it lacks.

It serves each request in a thread, and looks at a write's condition before it writes. Of two writes at the same moment, both can find the condition met, and
both are told that they wrote. In DynamoDB a write is atomic:
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ConditionExpressions.html
"""

import sys
from functools import wraps
from threading import RLock

from moto.dynamodb.models import DynamoDBBackend
from moto.server import main

WRITES = ["put_item", "update_item", "delete_item", "transact_write_items"]

lock = RLock()


def one_at_a_time(write):
    @wraps(write)
    def locked(*args, **kwargs):
        with lock:
            return write(*args, **kwargs)

    return locked


for name in WRITES:
    setattr(DynamoDBBackend, name, one_at_a_time(getattr(DynamoDBBackend, name)))

if __name__ == "__main__":
    # Threads take turns after every few instructions, so that what is not locked shows.
    sys.setswitchinterval(1e-6)
    sys.exit(main())
