package main

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"sync/atomic"
)

func main() {
	var busy atomic.Int32
	http.HandleFunc("/busy", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, busy.Load()) })
	go http.ListenAndServe(":"+append(os.Args, "8080")[1], nil)
	for jobs := bufio.NewScanner(os.Stdin); jobs.Scan(); { // your queue: delete the message after the job
		busy.Store(1)
		exec.Command("sh", "-c", jobs.Text()).Run()
		busy.Store(0)
	}
}
