// KEDA's answers, beside upstream's (parity/recorder):
//
//	{"kind": "scaled-object", "given": <story>}  {"expect": {hpa, steps: [{polled, size, worked, fallback}]}}
//
// A story has a ScaledObject of metrics-api, cpu and memory triggers, and what they read at each instant. First KEDA's
// scale loop turns, then upstream's HPA controller syncs the HPA that KEDA makes.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/kedacore/keda/v2/controllers/keda"
	"github.com/kedacore/keda/v2/pkg/scalers/authentication"
	"github.com/kedacore/keda/v2/pkg/scaling"
)

func init() { moreKinds["scaled-object"] = tellScaledObject }

type scaledStory struct {
	Object kedav1alpha1.ScaledObject `json:"object"`
	Size   int32                     `json:"size"`
	Steps  []scaledStep              `json:"steps"`
}

type scaledStep struct {
	Now time.Time `json:"now"`
	// One for each trigger: what its server answers, or the pods' usage in percent of their requests. Null: an error.
	Read []*float64 `json:"read"`
	// Somebody else scales just before.
	SetTo *int32 `json:"setTo"`
}

type scaledAnswer struct {
	HPA   autoscalingv2.HorizontalPodAutoscalerSpec `json:"hpa"`
	Steps []stepAnswer                              `json:"steps"`
}

type stepAnswer struct {
	// The size after the scale loop's turn.
	Polled int32 `json:"polled"`
	// The size after the HPA's sync.
	Size int32 `json:"size"`
	// The time of the last activity moved.
	Worked bool `json:"worked"`
	// Triggers in fallback after the turn, and after the sync: a bit each.
	Fallback [2]int `json:"fallback"`
}

func tellScaledObject(t *testing.T, text json.RawMessage) (expect any, err error) {
	var story scaledStory
	if err := json.Unmarshal(text, &story); err != nil {
		return nil, err
	}
	if len(story.Steps) == 0 {
		return nil, errors.New("a story has at least one step")
	}
	// A bubble has a clock of its own, which only moves when everything in it waits.
	synctest.Test(t, func(*testing.T) { expect, err = tellSteps(&story) })
	return expect, err
}

func tellSteps(story *scaledStory) (*scaledAnswer, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	time.Sleep(time.Until(story.Steps[0].Now))
	object := &story.Object
	object.Status.ScaleTargetGVKR = &kedav1alpha1.GroupVersionKindResource{Group: "apps", Version: "v1", Kind: "Deployment", Resource: "deployments"}
	script := &script{}
	cluster := newCluster(story.Size, object)
	cluster.read = script
	scaling.Transport = script
	handler := scaling.NewScaleHandler(cluster, cluster, scheme, 3*time.Second, 3*time.Second, noEvents{}, &authentication.AuthClientSet{})
	reconciler := keda.ScaledObjectReconciler{Client: cluster, Scheme: scheme, ScaleHandler: handler}
	hpa, err := reconciler.CreateHPA(ctx, object)
	if err != nil {
		return nil, err
	}
	served, err := served(hpa)
	if err != nil {
		return nil, err
	}
	controller := start(given{observed: observed{Now: story.Steps[0].Now}}, served)
	defer controller.stop()
	cluster.controller = controller
	answer := &scaledAnswer{HPA: served.Spec}
	for _, step := range story.Steps {
		time.Sleep(time.Until(step.Now))
		script.read = step.Read
		if step.SetTo != nil {
			cluster.size = *step.SetTo
		}
		one, err := tellStep(ctx, handler, cluster, step)
		if err != nil {
			return nil, err
		}
		answer.Steps = append(answer.Steps, one)
	}
	if err := handler.DeleteScalableObject(ctx, object); err != nil {
		return nil, err
	}
	synctest.Wait()
	return answer, nil
}

func tellStep(ctx context.Context, handler scaling.ScaleHandler, cluster *cluster, step scaledStep) (stepAnswer, error) {
	before, err := cluster.scaledObject(ctx)
	if err != nil {
		return stepAnswer{}, err
	}
	scaling.Poll(ctx, handler, before.DeepCopy())
	synctest.Wait()
	after, err := cluster.scaledObject(ctx)
	if err != nil {
		return stepAnswer{}, err
	}
	answer := stepAnswer{
		Polled:   cluster.size,
		Worked:   !after.Status.LastActiveTime.Equal(before.Status.LastActiveTime),
		Fallback: [2]int{inFallback(after)},
	}
	seen := observed{Now: step.Now, Pods: cluster.pods()}
	seen.Scale.Scale = *cluster.scale()
	for _, metric := range cluster.controller.hpa.Spec.Metrics {
		response, err := respond(ctx, handler, cluster, metric, after)
		if err != nil {
			return stepAnswer{}, err
		}
		seen.Metrics = append(seen.Metrics, response)
	}
	if _, err := cluster.controller.sync(seen); err != nil {
		return stepAnswer{}, err
	}
	if to := cluster.controller.scaleTo; to != nil {
		cluster.size = *to
	}
	last, err := cluster.scaledObject(ctx)
	if err != nil {
		return stepAnswer{}, err
	}
	answer.Size = cluster.size
	answer.Fallback[1] = inFallback(last)
	return answer, nil
}

func inFallback(object *kedav1alpha1.ScaledObject) int {
	bits := 0
	for name, health := range object.Status.Health {
		index := 0
		if _, err := fmt.Sscanf(name, "s%d-", &index); err != nil {
			panic(err)
		}
		if health.NumberOfFailures != nil && *health.NumberOfFailures > object.Spec.Fallback.FailureThreshold {
			bits |= 1 << index
		}
	}
	return bits
}

// respond is what the metrics APIs answer the HPA controller: KEDA's for external metrics. At zero it does not ask.
func respond(ctx context.Context, handler scaling.ScaleHandler, cluster *cluster, metric autoscalingv2.MetricSpec, object *kedav1alpha1.ScaledObject) (metricResponse, error) {
	if cluster.size == 0 {
		return metricResponse{Error: "not asked for"}, nil
	}
	var response any
	if metric.External != nil {
		list, err := handler.GetScaledObjectMetrics(ctx, object.Name, object.Namespace, metric.External.Metric.Name)
		synctest.Wait()
		if err != nil {
			return metricResponse{Error: err.Error()}, nil
		}
		items := []map[string]any{}
		for _, item := range list.Items {
			items = append(items, map[string]any{"metricName": item.MetricName, "timestamp": item.Timestamp, "value": item.Value})
		}
		response = map[string]any{"items": items}
	} else {
		used, err := cluster.usage(metric, object)
		if err != nil {
			return metricResponse{}, err
		}
		response = used
	}
	text, err := json.Marshal(response)
	if err != nil {
		return metricResponse{}, err
	}
	one := metricResponse{}
	return one, json.Unmarshal(text, &one)
}

func (c *cluster) scale() *autoscalingv1.Scale {
	one := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: c.size}}
	one.Namespace, one.Name = c.object.Namespace, c.object.Spec.ScaleTargetRef.Name
	one.Status.Replicas, one.Status.Selector = c.size, "app=worker"
	return one
}
