package main

import (
	"fmt"
	"reflect"
	"time"
	"unsafe"

	"k8s.io/kubernetes/pkg/controller/podautoscaler"
)

type history struct {
	Recommendations []recommendation `json:"recommendations"`
	ScaleUpEvents   []scaleEvent     `json:"scaleUpEvents"`
	ScaleDownEvents []scaleEvent     `json:"scaleDownEvents"`
}

type recommendation struct {
	Replicas int32     `json:"replicas"`
	At       time.Time `json:"at"`
}

type scaleEvent struct {
	Change int32     `json:"change"`
	At     time.Time `json:"at"`
}

// remember puts a history into the controller, which has no other way in than syncing through all of it.
func remember(controller *podautoscaler.HorizontalController, key string, past *history) {
	if past == nil {
		return
	}
	fields := reflect.ValueOf(controller).Elem()
	if len(past.Recommendations) > 0 { // upstream never has an empty list
		put(fields, "recommendations", key, past.Recommendations, func(entry reflect.Value, one recommendation) {
			set(entry, "recommendation", one.Replicas)
			set(entry, "timestamp", one.At.Add(tick))
		})
	}
	events := func(entry reflect.Value, one scaleEvent) {
		set(entry, "replicaChange", one.Change)
		set(entry, "timestamp", one.At.Add(tick))
	}
	put(fields, "scaleUpEvents", key, past.ScaleUpEvents, events)
	put(fields, "scaleDownEvents", key, past.ScaleDownEvents, events)
}

func put[T any](fields reflect.Value, name, key string, entries []T, fill func(reflect.Value, T)) {
	lists := writable(fields, name)
	list := reflect.MakeSlice(lists.Type().Elem(), len(entries), len(entries))
	for i, one := range entries {
		fill(list.Index(i), one)
	}
	lists.SetMapIndex(reflect.ValueOf(key), list)
}

func set(entry reflect.Value, name string, value any) {
	writable(entry, name).Set(reflect.ValueOf(value))
}

// writable is a private field of upstream's.
func writable(of reflect.Value, name string) reflect.Value {
	field := of.FieldByName(name)
	if !field.IsValid() {
		panic(fmt.Sprintf("upstream's %s has no field %s any more: see parity/recorder/history.go", of.Type(), name))
	}
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
}
