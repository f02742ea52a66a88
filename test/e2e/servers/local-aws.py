"""What a user's own program does with the queues and the table of `ebb start`: boto3, with its defaults."""

import json
import sys

import boto3
from botocore.exceptions import ClientError

sqs_endpoint, table_endpoint = sys.argv[1:]
session = boto3.Session(profile_name="ebb", region_name="us-east-1")
sqs = session.client("sqs", endpoint_url=sqs_endpoint)
dynamodb = session.client("dynamodb", endpoint_url=table_endpoint)
seen = {}


def drain(url):
    bodies = []
    while messages := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
        for message in messages:
            bodies.append(message["Body"])
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return bodies


def refusal(call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        return str(error)


url = sqs.create_queue(QueueName="equal", tags={"team": "blue"})["QueueUrl"]
for _ in range(10):
    sqs.send_message(QueueUrl=url, MessageBody="same")
seen["equal messages"] = len(drain(url))
for _ in range(10):
    sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])
sqs.send_message_batch(QueueUrl=url, Entries=[{"Id": str(n), "MessageBody": "same"} for n in range(10)])
[first] = sqs.receive_message(QueueUrl=url)["Messages"]
sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=first["ReceiptHandle"], VisibilityTimeout=0)
seen["batch"] = len(drain(url))
sqs.send_message(QueueUrl=url, MessageBody="purged")
sqs.purge_queue(QueueUrl=url)
seen["purged"] = drain(url)
sqs.tag_queue(QueueUrl=url, Tags={"stage": "test"})
sqs.untag_queue(QueueUrl=url, TagKeys=["team"])
seen["queue tags"] = sqs.list_queue_tags(QueueUrl=url)["Tags"]

fifo = sqs.create_queue(QueueName="order.fifo", Attributes={"FifoQueue": "true", "ContentBasedDeduplication": "true"})
url = fifo["QueueUrl"]
for body in ["a1", "b1", "a2", "a2", "b2"]:
    sqs.send_message(QueueUrl=url, MessageBody=body, MessageGroupId=body[0])
seen["fifo"] = [body for body in drain(url) if body[0] == "a"]
seen["no group"] = refusal(sqs.send_message, QueueUrl=url, MessageBody="x")
seen["no such queue operation"] = refusal(sqs.start_message_move_task, SourceArn="arn:aws:sqs:us-east-1:0:x")


def item(name, **more):
    return {"pk": {"S": "note"}, "sk": {"S": name}, **more}


for _ in range(10):
    dynamodb.put_item(TableName="ebb", Item=item("same"))
puts = [{"Put": {"TableName": "ebb", "Item": item(name, n={"N": "1"})}} for name in "ab"]
dynamodb.transact_write_items(TransactItems=puts)
never = {"Put": {"TableName": "ebb", "Item": item("a"), "ConditionExpression": "attribute_not_exists(pk)"}}
delete = {"Delete": {"TableName": "ebb", "Key": item("b")}}
seen["cancelled"] = refusal(dynamodb.transact_write_items, TransactItems=[delete, never])
gets = [{"Get": {"TableName": "ebb", "Key": item(name)}} for name in "abc"]
answers = dynamodb.transact_get_items(TransactItems=gets)["Responses"]
seen["together"] = [answer.get("Item", {}).get("n", {}).get("N") for answer in answers]
arn = dynamodb.describe_table(TableName="ebb")["Table"]["TableArn"]
dynamodb.tag_resource(ResourceArn=arn, Tags=[{"Key": "team", "Value": "blue"}])
seen["table tags"] = dynamodb.list_tags_of_resource(ResourceArn=arn)["Tags"]
seen["time to live"] = dynamodb.describe_time_to_live(TableName="ebb")["TimeToLiveDescription"]["TimeToLiveStatus"]
backups = dynamodb.describe_continuous_backups(TableName="ebb")["ContinuousBackupsDescription"]
seen["backups"] = backups["ContinuousBackupsStatus"]
seen["no such table operation"] = refusal(dynamodb.execute_statement, Statement="SELECT * FROM ebb")
print(json.dumps(seen))
