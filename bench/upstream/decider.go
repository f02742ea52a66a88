// Added to a copy of upstream's package: its controller, with history and recorded events as data.

package podautoscaler

import (
	"context"
	"fmt"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	autoscalingclient "k8s.io/client-go/kubernetes/typed/autoscaling/v2"
	corelisters "k8s.io/client-go/listers/core/v1"
	scaleclient "k8s.io/client-go/scale"
	metricsclient "k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/monitor"
	consistencyutil "k8s.io/kubernetes/pkg/controller/util/consistency"
	"k8s.io/kubernetes/pkg/controller/util/selectors"
)

type Recommendation struct {
	Replicas int32     `json:"replicas"`
	At       time.Time `json:"at"`
}

type ScaleEvent struct {
	Change int32     `json:"change"`
	At     time.Time `json:"at"`
}

type History struct {
	Recommendations []Recommendation `json:"recommendations"`
	ScaleUpEvents   []ScaleEvent     `json:"scaleUpEvents"`
	ScaleDownEvents []ScaleEvent     `json:"scaleDownEvents"`
}

type Event struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

type Sources struct {
	Scales  scaleclient.ScalesGetter
	Hpas    autoscalingclient.HorizontalPodAutoscalersGetter
	Mapper  apimeta.RESTMapper
	Metrics metricsclient.MetricsClient
	Pods    corelisters.PodLister
}

type Decider struct {
	controller *HorizontalController
	events     []Event
}

// NewDecider makes a controller with the defaults of kube-controller-manager's flags.
func NewDecider(sources Sources) *Decider {
	decider := &Decider{}
	decider.controller = &HorizontalController{
		eventRecorder:                decider,
		scaleNamespacer:              sources.Scales,
		hpaNamespacer:                sources.Hpas,
		mapper:                       sources.Mapper,
		tolerance:                    0.1,
		downscaleStabilisationWindow: 5 * time.Minute,
		monitor:                      monitor.New(),
		podLister:                    sources.Pods,
		replicaCalc:                  NewReplicaCalculator(sources.Metrics, sources.Pods, 5*time.Minute, 30*time.Second),
		recommendations:              map[string][]timestampedRecommendation{},
		scaleUpEvents:                map[string][]timestampedScaleEvent{},
		scaleDownEvents:              map[string][]timestampedScaleEvent{},
		selectorTracker:              newHPASelectorStore(),
		consistencyStore:             consistencyutil.NewNoopConsistencyStore(),
	}
	return decider
}

// Decide is one reconciliation, from this history on.
func (d *Decider) Decide(hpa *autoscalingv2.HorizontalPodAutoscaler, history History) (History, []Event, error) {
	a, key := d.controller, hpa.Namespace+"/"+hpa.Name
	recommendations := make([]timestampedRecommendation, len(history.Recommendations))
	for i, one := range history.Recommendations {
		recommendations[i] = timestampedRecommendation{one.Replicas, one.At}
	}
	a.recommendations[key] = recommendations
	a.scaleUpEvents[key] = scaleEvents(history.ScaleUpEvents)
	a.scaleDownEvents[key] = scaleEvents(history.ScaleDownEvents)
	a.selectorTracker.PutIfAbsent(hpa.Namespace, selectors.Parse(key), labels.Nothing())
	d.events = nil
	err := a.reconcileAutoscaler(context.Background(), hpa, key)
	after := History{}
	for _, one := range a.recommendations[key] {
		after.Recommendations = append(after.Recommendations, Recommendation{one.recommendation, one.timestamp})
	}
	for _, one := range a.scaleUpEvents[key] {
		after.ScaleUpEvents = append(after.ScaleUpEvents, ScaleEvent{one.replicaChange, one.timestamp})
	}
	for _, one := range a.scaleDownEvents[key] {
		after.ScaleDownEvents = append(after.ScaleDownEvents, ScaleEvent{one.replicaChange, one.timestamp})
	}
	return after, d.events, err
}

func scaleEvents(events []ScaleEvent) []timestampedScaleEvent {
	result := make([]timestampedScaleEvent, len(events))
	for i, one := range events {
		result[i] = timestampedScaleEvent{one.Change, one.At, false}
	}
	return result
}

// The controller's event recorder.

func (d *Decider) Event(_ runtime.Object, eventType, reason, message string) {
	d.events = append(d.events, Event{eventType, reason, message})
}

func (d *Decider) Eventf(object runtime.Object, eventType, reason, format string, args ...interface{}) {
	d.Event(object, eventType, reason, fmt.Sprintf(format, args...))
}

func (d *Decider) AnnotatedEventf(object runtime.Object, _ map[string]string, eventType, reason, format string, args ...interface{}) {
	d.Eventf(object, eventType, reason, format, args...)
}
