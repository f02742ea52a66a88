"""ministack, and what it lacks.

Its schedules hand their Input to the target as it is written, where EventBridge Scheduler replaces the context attributes in it:
https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html
Its CloudFormation leaves out a table's TTL and point-in-time recovery, which its DynamoDB has, and takes a table that exists for one that it made. It refuses an
alarm on an expression: such an alarm is on the first metric of its expression here. Nothing looks at its state.
"""

import sys
from datetime import datetime, timezone

from ministack.app import main
from ministack.services import dynamodb, eventbridge
from ministack.services.cloudformation import provisioners

SCHEDULED_TIME = "<aws.scheduler.scheduled-time>"

invoke_target = eventbridge._invoke_target


def invoke_with_context_attributes(target, event, rule, view=None):
    if event["Source"] == "aws.scheduler" and SCHEDULED_TIME in target.get("Input", ""):
        # ministack looks for due schedules every ten seconds; a schedule itself is in whole minutes.
        minute = datetime.fromtimestamp(event["Time"] // 60 * 60, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        target = {**target, "Input": target["Input"].replace(SCHEDULED_TIME, minute)}
    return invoke_target(target, event, rule, view)


eventbridge._invoke_target = invoke_with_context_attributes

create_table = provisioners._ddb_create


def create_whole_table(logical_id, props, stack_name):
    name = props.get("TableName")
    if name in dynamodb._tables:
        raise ValueError(f"Resource of type 'AWS::DynamoDB::Table' with identifier '{name}' already exists.")
    created = create_table(logical_id, props, stack_name)
    settings = {
        "TimeToLiveSpecification": dynamodb._update_ttl,
        "PointInTimeRecoverySpecification": dynamodb._update_continuous_backups,
    }
    for name, update in settings.items():
        if name in props:
            update({"TableName": created[0], name: props[name]})
    return created


provisioners._RESOURCE_HANDLERS["AWS::DynamoDB::Table"]["create"] = create_whole_table

alarm_record = provisioners._cw_metric_alarm_record


def alarm_on_one_metric(name, props):
    stats = [metric["MetricStat"] for metric in props.get("Metrics", []) if "MetricStat" in metric]
    if not stats:
        return alarm_record(name, props)
    own = {key: value for key, value in props.items() if key != "Metrics"}
    return alarm_record(name, {**own, **stats[0]["Metric"], "Period": stats[0]["Period"], "Statistic": stats[0]["Stat"]})


provisioners._cw_metric_alarm_record = alarm_on_one_metric

if __name__ == "__main__":
    sys.exit(main())
