package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/record"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/lru"
)

// occurrence is an event as it happens, so many milliseconds after `began`.
type occurrence struct {
	At      int64  `json:"at"`
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	// The messages that a full group keeps, as recorded.
	Left []string `json:"left,omitempty"`
}

type correlated struct {
	Recorded *recordedEvent `json:"recorded,omitempty"` // none: held back
	Left     []string       `json:"left,omitempty"`
}

type recordedEvent struct {
	Message string `json:"message"`
	Count   int32  `json:"count"`
	Name    string `json:"name"`
	First   int64  `json:"first"`
	Patched bool   `json:"patched,omitempty"`
}

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// correlate gives a sequence of events to the correlator of client-go, as its recorder does.
func correlate(text []byte) (any, error) {
	var given []occurrence
	if err := json.Unmarshal(text, &given); err != nil {
		return nil, err
	}
	clock := clocktesting.NewFakePassiveClock(began)
	correlator := record.NewEventCorrelator(clock)
	answers := []correlated{}
	for _, one := range given {
		clock.SetTime(began.Add(time.Duration(one.At) * time.Millisecond))
		event := one.event(clock.Now())
		group, _ := record.EventAggregatorByReasonFunc(event)
		before := messages(correlator, group).Clone()
		result, err := correlator.EventCorrelate(event)
		if err != nil {
			return nil, err
		}
		answer := correlated{}
		if !result.Skip {
			answer.Recorded = recorded(result)
			correlator.UpdateState(result.Event)
		}
		if answer.Left, err = keep(before, messages(correlator, group), one); err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

func (o occurrence) event(now time.Time) *corev1.Event {
	at := metav1.NewTime(now)
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: fmt.Sprintf("worker.%x", now.UnixNano()), Namespace: "default"},
		InvolvedObject: corev1.ObjectReference{Kind: "HorizontalPodAutoscaler", Namespace: "default", Name: "worker"},
		Type:           o.Type, Reason: o.Reason, Message: o.Message,
		Count: 1, FirstTimestamp: at, LastTimestamp: at,
	}
}

func recorded(result *record.EventCorrelateResult) *recordedEvent {
	event := result.Event
	return &recordedEvent{
		Message: event.Message, Count: event.Count, Name: event.Name,
		First: event.FirstTimestamp.Sub(began).Milliseconds(), Patched: event.Count > 1,
	}
}

// messages of a group of similar events: the set itself, where the correlator keeps it.
func messages(correlator *record.EventCorrelator, group string) sets.Set[string] {
	aggregator := writable(reflect.ValueOf(correlator).Elem(), "aggregator").Elem()
	cache := writable(aggregator, "cache").Interface().(*lru.Cache)
	entry, found := cache.Get(group)
	if !found {
		return nil
	}
	copied := reflect.New(reflect.TypeOf(entry)).Elem()
	copied.Set(reflect.ValueOf(entry))
	return writable(copied, "localKeys").Interface().(sets.Set[string])
}

// keep gives the messages of a full group. The tenth made upstream remove any of them: it removes the recorded one.
func keep(before, after sets.Set[string], one occurrence) ([]string, error) {
	full := before.Insert(one.Message)
	if one.Left == nil && after.Len() == 9 {
		return sets.List(after), nil
	}
	if one.Left == nil {
		return nil, nil
	}
	left := sets.New(one.Left...)
	if after.Len() != 9 || left.Len() != 9 || !full.IsSuperset(left) {
		return nil, fmt.Errorf("%d ms: upstream leaves %v, so it cannot leave %v", one.At, sets.List(after), one.Left)
	}
	after.Clear()
	after.Insert(one.Left...)
	return one.Left, nil
}
