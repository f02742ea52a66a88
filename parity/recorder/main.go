// Upstream's answers: its HPA controller and its admission, as dependencies. One JSON line in, one JSON line out, in
// order:
//
//	{"kind": "decision", "given": <situation>}               {"expect": <answer>}
//	{"kind": "story", "given": {hpa, options?, steps}}       {"expect": [<answer of each step>]}
//	{"kind": "document", "given": <HPA>}                     {"expect": {errors, spec?, generation?}}
//	{"kind": "update", "given": {"old": <HPA>, "new": <HPA>}} {"expect": {errors, spec?, generation?}}
//	{"kind": "events", "given": [{at, type, reason, message, left?}]}  {"expect": [{recorded?, left?}]}
//	{"kind": "yaml", "given": <a value as text of JSON>}     {"expect": <as kubectl prints it>}
//
// A question that upstream cannot read has `{"unreadable": <why>}`, one at which it crashes `{"crash": <why>}`.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"testing/synctest"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

type question struct {
	Kind  string          `json:"kind"`
	Given json.RawMessage `json:"given"`
}

type answer struct {
	Expect     any    `json:"expect,omitempty"`
	Unreadable string `json:"unreadable,omitempty"`
	Crash      string `json:"crash,omitempty"`
}

// moreKinds are those of a program that is built of these files and its own, such as parity/keda.
var moreKinds = map[string]func(*testing.T, json.RawMessage) (any, error){}

func main() {
	klog.SetLogger(logr.Discard())
	utilruntime.ErrorHandlers = nil // they sleep, which would move the clock of a bubble
	questions := bufio.NewReaderSize(os.Stdin, 1<<20)
	// synctest needs a test to run in.
	record := testing.InternalTest{Name: "record", F: func(t *testing.T) { answerAll(t, questions) }}
	everyTest := func(string, string) (bool, error) { return true, nil }
	testing.Main(everyTest, []testing.InternalTest{record}, nil, nil)
}

func answerAll(t *testing.T, questions *bufio.Reader) {
	output := bufio.NewWriter(os.Stdout)
	for {
		line, err := questions.ReadBytes('\n')
		if err != nil {
			os.Exit(0) // the end of the input, before the test prints that it passed
		}
		written, err := json.Marshal(ask(t, line))
		if err == nil {
			_, err = output.Write(append(written, '\n'))
		}
		if err == nil && questions.Buffered() == 0 {
			err = output.Flush()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func ask(t *testing.T, line []byte) (given answer) {
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return answer{Unreadable: err.Error()}
	}
	var expect any
	var err error
	switch asked.Kind {
	case "decision", "story":
		// A bubble has a clock of its own, which begins in 2000 and only moves when everything in it waits.
		synctest.Test(t, func(*testing.T) { expect, err = reconcileAll(asked.Kind, asked.Given) })
	case "document":
		expect, err = create(asked.Given)
	case "update":
		expect, err = update(asked.Given)
	case "events":
		expect, err = correlate(asked.Given)
	case "yaml":
		expect, err = printYaml(asked.Given)
	default:
		answerTo, ok := moreKinds[asked.Kind]
		if !ok {
			return answer{Unreadable: fmt.Sprintf("no such kind of question: %q", asked.Kind)}
		}
		expect, err = answerTo(t, asked.Given)
	}
	if crashed, ok := err.(crash); ok {
		return answer{Crash: crashed.Error()}
	}
	if err != nil {
		return answer{Unreadable: err.Error()}
	}
	return answer{Expect: expect}
}
