package main

import (
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/klog/v2"
)

// eventLog keeps the events of one HPA. The controller's broadcaster logs each as it happens, before equal and similar
// ones are counted, combined or held back.
type eventLog struct {
	of   string
	seen []event
}

func (l *eventLog) Init(logr.RuntimeInfo) {}

func (l *eventLog) Enabled(level int) bool { return level <= 3 }

func (l *eventLog) Info(_ int, message string, keysAndValues ...any) {
	if message != "Event occurred" {
		return
	}
	values := map[string]any{}
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		values[keysAndValues[i].(string)] = keysAndValues[i+1]
	}
	if values["object"].(klog.ObjectRef).Name != l.of {
		return
	}
	l.seen = append(l.seen, event{values["type"].(string), values["reason"].(string), values["message"].(string)})
}

func (l *eventLog) Error(error, string, ...any) {}

func (l *eventLog) WithValues(...any) logr.LogSink { return l }

func (l *eventLog) WithName(string) logr.LogSink { return l }

// eventSink takes what the broadcaster also records: combined, and without what it holds back.
type eventSink struct{ coreclient.EventInterface }

func (s eventSink) Events(string) coreclient.EventInterface { return s }

func (eventSink) CreateWithEventNamespace(one *corev1.Event) (*corev1.Event, error) {
	return one, nil
}

func (eventSink) PatchWithEventNamespace(one *corev1.Event, _ []byte) (*corev1.Event, error) {
	return one, nil
}
