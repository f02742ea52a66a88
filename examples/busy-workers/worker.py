import http.server, subprocess, sys, threading

busy = 0

class Busy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(busy).encode())

server = http.server.ThreadingHTTPServer(("", int(sys.argv[1]) if len(sys.argv) > 1 else 8080), Busy)
threading.Thread(target=server.serve_forever, daemon=True).start()
for job in sys.stdin:  # your queue: delete the message after the job
    busy = 1
    subprocess.run(job, shell=True)
    busy = 0
