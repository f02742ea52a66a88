// Package record: as much of Argo's as its Rollout controller needs. It sends no notifications.
package record

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
)

type EventOptions struct {
	EventType   string
	EventReason string
}

type EventRecorder interface {
	Eventf(object runtime.Object, opts EventOptions, messageFmt string, args ...any)
	Warnf(object runtime.Object, opts EventOptions, messageFmt string, args ...any)
	K8sRecorder() record.EventRecorder
}

// Silent records nothing.
type Silent struct{}

func (Silent) Eventf(runtime.Object, EventOptions, string, ...any) {}
func (Silent) Warnf(runtime.Object, EventOptions, string, ...any)  {}
func (Silent) K8sRecorder() record.EventRecorder                   { return &record.FakeRecorder{} }
