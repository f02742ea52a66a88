package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	autoscalingclient "k8s.io/client-go/kubernetes/typed/autoscaling/v2"
	corelisters "k8s.io/client-go/listers/core/v1"
	scaleclient "k8s.io/client-go/scale"
	customapi "k8s.io/metrics/pkg/apis/custom_metrics/v1beta2"
	externalapi "k8s.io/metrics/pkg/apis/external_metrics/v1beta1"
	resourceapi "k8s.io/metrics/pkg/apis/metrics/v1beta1"
	resourceclient "k8s.io/metrics/pkg/client/clientset/versioned/typed/metrics/v1beta1"
	customclient "k8s.io/metrics/pkg/client/custom_metrics"
	externalclient "k8s.io/metrics/pkg/client/external_metrics"
)

// A sync takes time: its first recommendation is older than the moment at which it looks back at all of them.
const tick = time.Nanosecond

// What the controller sees and does in one sync. Every client below reads and writes it.
type world struct {
	observed
	hpa     *autoscalingv2.HorizontalPodAutoscaler
	others  map[string]string // the selector of each other HPA, by the name of its target
	listed  bool
	asked   int  // metrics of the spec that were asked for
	refused bool // a write of the scale, because somebody changed it
	scaleTo *int32
	status  *autoscalingv2.HorizontalPodAutoscalerStatus
}

// Every kind has a resource, in the version that the target names.
type mapper struct{ apimeta.RESTMapper }

func (mapper) RESTMappings(kind schema.GroupKind, _ ...string) ([]*apimeta.RESTMapping, error) {
	resource := schema.GroupVersionResource{Group: kind.Group, Version: "v1", Resource: strings.ToLower(kind.Kind) + "s"}
	return []*apimeta.RESTMapping{{Resource: resource}}, nil
}

type scales struct {
	scaleclient.ScaleInterface
	*world
}

func (s scales) Scales(string) scaleclient.ScaleInterface { return s }

func (s scales) Get(_ context.Context, _ schema.GroupResource, name string, _ metav1.GetOptions) (*autoscalingv1.Scale, error) {
	if selector, ok := s.others[name]; ok {
		one := autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 1}}
		one.Name, one.Status.Replicas, one.Status.Selector = name, 1, selector
		return &one, nil
	}
	if s.Scale.Error != "" {
		return nil, errors.New(s.Scale.Error)
	}
	found := s.Scale.Scale.DeepCopy()
	if s.refused {
		found.Spec.Replicas = *s.Scale.ChangedTo
	}
	return found, nil
}

func (s scales) Update(_ context.Context, resource schema.GroupResource, scale *autoscalingv1.Scale, _ metav1.UpdateOptions) (*autoscalingv1.Scale, error) {
	if _, ok := s.others[scale.Name]; !ok {
		if s.Scale.ChangedTo != nil && !s.refused {
			s.refused = true
			return nil, apierrors.NewConflict(resource, scale.Name, errors.New("the size was changed"))
		}
		s.scaleTo = &scale.Spec.Replicas
	}
	return scale, nil
}

type hpas struct {
	autoscalingclient.HorizontalPodAutoscalerInterface
	*world
}

func (h hpas) HorizontalPodAutoscalers(string) autoscalingclient.HorizontalPodAutoscalerInterface {
	return h
}

func (h hpas) UpdateStatus(_ context.Context, hpa *autoscalingv2.HorizontalPodAutoscaler, _ metav1.UpdateOptions) (*autoscalingv2.HorizontalPodAutoscaler, error) {
	if hpa.Name == h.hpa.Name {
		h.status = &hpa.Status
	}
	return hpa, nil
}

// Pods are listed in the order in which they are given: upstream's is that of a map, so an error may name any of them.
type pods struct {
	corelisters.PodLister
	corelisters.PodNamespaceLister
	*world
}

func (p pods) Pods(string) corelisters.PodNamespaceLister { return p }

func (p pods) List(selector labels.Selector) ([]*corev1.Pod, error) {
	if !p.listed {
		p.listed = true
		time.Sleep(tick)
	}
	var selected []*corev1.Pod
	for _, pod := range p.world.observed.Pods {
		if selector.Matches(labels.Set(pod.Labels)) {
			selected = append(selected, pod)
		}
	}
	return selected, nil
}

// response is that of the next metric of the spec that asks `source` for `name`. The controller asks in the order of the
// spec, and not for a metric without a target.
func (w *world) response(source autoscalingv2.MetricSourceType, name string, into any) error {
	for w.asked < len(w.hpa.Spec.Metrics) {
		metric := w.hpa.Spec.Metrics[w.asked]
		w.asked++
		if asks(metric, source, name) {
			if w.asked > len(w.Metrics) {
				return fmt.Errorf("the situation has no response for metric %d of its spec", w.asked)
			}
			return w.Metrics[w.asked-1].read(into)
		}
	}
	return errors.New("the controller asked for a metric that is not in its spec")
}

// `name` is empty for the resource metrics API, which is asked for all resources of all containers.
func asks(metric autoscalingv2.MetricSpec, source autoscalingv2.MetricSourceType, name string) bool {
	hasTarget := func(one autoscalingv2.MetricTarget) bool {
		return one.Value != nil || one.AverageValue != nil || one.AverageUtilization != nil
	}
	switch {
	case metric.Type == autoscalingv2.ContainerResourceMetricSourceType:
		return source == autoscalingv2.ResourceMetricSourceType && hasTarget(metric.ContainerResource.Target)
	case metric.Type != source:
		return false
	case source == autoscalingv2.ResourceMetricSourceType:
		return hasTarget(metric.Resource.Target)
	case source == autoscalingv2.PodsMetricSourceType:
		return metric.Pods.Metric.Name == name
	case source == autoscalingv2.ObjectMetricSourceType:
		target := metric.Object.Target
		isSet := (target.Type == autoscalingv2.ValueMetricType && target.Value != nil) ||
			(target.Type == autoscalingv2.AverageValueMetricType && target.AverageValue != nil)
		return metric.Object.Metric.Name == name && isSet
	}
	return metric.External.Metric.Name == name && hasTarget(metric.External.Target)
}

type resourceMetrics struct {
	resourceclient.PodMetricsInterface
	*world
}

func (m resourceMetrics) PodMetricses(string) resourceclient.PodMetricsInterface { return m }

func (m resourceMetrics) List(context.Context, metav1.ListOptions) (*resourceapi.PodMetricsList, error) {
	list := &resourceapi.PodMetricsList{}
	return list, m.response(autoscalingv2.ResourceMetricSourceType, "", list)
}

type customMetrics struct{ *world }

func (m customMetrics) RootScopedMetrics() customclient.MetricsInterface { return m }

func (m customMetrics) NamespacedMetrics(string) customclient.MetricsInterface { return m }

func (m customMetrics) GetForObjects(_ schema.GroupKind, _ labels.Selector, name string, _ labels.Selector) (*customapi.MetricValueList, error) {
	list := &customapi.MetricValueList{}
	return list, m.response(autoscalingv2.PodsMetricSourceType, name, list)
}

func (m customMetrics) GetForObject(_ schema.GroupKind, _, name string, _ labels.Selector) (*customapi.MetricValue, error) {
	list := &customapi.MetricValueList{}
	if err := m.response(autoscalingv2.ObjectMetricSourceType, name, list); err != nil {
		return nil, err
	}
	if len(list.Items) != 1 { // the words of k8s.io/metrics' client
		return nil, fmt.Errorf("the custom metrics API server returned %v results when we asked for exactly one", len(list.Items))
	}
	return &list.Items[0], nil
}

type externalMetrics struct{ *world }

func (m externalMetrics) NamespacedMetrics(string) externalclient.MetricsInterface { return m }

func (m externalMetrics) List(name string, _ labels.Selector) (*externalapi.ExternalMetricValueList, error) {
	if strings.HasPrefix(name, otherPrefix) {
		return nil, errors.New("not asked for")
	}
	list := &externalapi.ExternalMetricValueList{}
	return list, m.response(autoscalingv2.ExternalMetricSourceType, name, list)
}
