"""ministack, and what its schedules lack: it hands a schedule's Input to the target as it is written, where EventBridge Scheduler
replaces the context attributes in it.
https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html
"""

import sys
from datetime import datetime, timezone

from ministack.app import main
from ministack.services import eventbridge

SCHEDULED_TIME = "<aws.scheduler.scheduled-time>"

invoke_target = eventbridge._invoke_target


def invoke_with_context_attributes(target, event, rule, view=None):
    if event["Source"] == "aws.scheduler" and SCHEDULED_TIME in target.get("Input", ""):
        # ministack looks for due schedules every ten seconds; a schedule itself is in whole minutes.
        minute = datetime.fromtimestamp(event["Time"] // 60 * 60, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        target = {**target, "Input": target["Input"].replace(SCHEDULED_TIME, minute)}
    return invoke_target(target, event, rule, view)


eventbridge._invoke_target = invoke_with_context_attributes

if __name__ == "__main__":
    sys.exit(main())
