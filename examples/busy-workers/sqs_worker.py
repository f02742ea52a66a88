import boto3, http.server, os, signal, subprocess, sys, threading

sqs, queue, seconds = boto3.client("sqs"), os.environ["QUEUE_URL"], int(os.environ.get("VISIBILITY_SECONDS", "300"))
busy, stopping = 0, threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stopping.set())

class Busy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(busy).encode())

def hide(handle, time):
    sqs.change_message_visibility(QueueUrl=queue, ReceiptHandle=handle, VisibilityTimeout=time)

def extend(handle, done):
    while not done.wait(seconds / 2):
        hide(handle, seconds)

server = http.server.ThreadingHTTPServer(("", int(sys.argv[1]) if len(sys.argv) > 1 else 8080), Busy)
threading.Thread(target=server.serve_forever, daemon=True).start()
while not stopping.is_set():
    for message in sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=5, VisibilityTimeout=seconds).get("Messages", []):
        handle, done = message["ReceiptHandle"], threading.Event()
        if stopping.is_set():  # it came in the last wait: another pod may have it
            hide(handle, 0)
            break
        busy = 1
        threading.Thread(target=extend, args=(handle, done), daemon=True).start()
        if subprocess.run(message["Body"], shell=True, start_new_session=True).returncode == 0:
            sqs.delete_message(QueueUrl=queue, ReceiptHandle=handle)
        done.set()
        busy = 0
