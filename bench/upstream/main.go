// Upstream's own HPA controller on situations as JSON lines, for a comparison with `ebb evaluate`.
//
//	decide json 5 <lines     the whole stream five times: each line read, decided and written as JSON
//	decide decision 5 <lines the decisions alone, on lines that were read before
//
// Each round's decisions per second of processor time are printed to standard error, the last round's answers to standard output.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	autoscalingclient "k8s.io/client-go/kubernetes/typed/autoscaling/v2"
	corelisters "k8s.io/client-go/listers/core/v1"
	scaleclient "k8s.io/client-go/scale"
	"k8s.io/klog/v2"
	metricsclient "k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
	externalv1beta1 "k8s.io/metrics/pkg/apis/external_metrics/v1beta1"
	metricsv1beta1 "k8s.io/metrics/pkg/apis/metrics/v1beta1"
	resourceclient "k8s.io/metrics/pkg/client/clientset/versioned/typed/metrics/v1beta1"
	externalclient "k8s.io/metrics/pkg/client/external_metrics"

	podautoscaler "servers/podautoscaler"
)

type situation struct {
	Hpa     *autoscalingv2.HorizontalPodAutoscaler `json:"hpa"`
	Scale   *autoscalingv1.Scale                   `json:"scale"`
	Pods    []*corev1.Pod                          `json:"pods"`
	Metrics []json.RawMessage                      `json:"metrics"`
	History podautoscaler.History                  `json:"history"`
}

type decision struct {
	DesiredReplicas int32                                            `json:"desiredReplicas"`
	ScaleTo         *int32                                           `json:"scaleTo"`
	Conditions      []autoscalingv2.HorizontalPodAutoscalerCondition `json:"conditions"`
	CurrentMetrics  []autoscalingv2.MetricStatus                     `json:"currentMetrics"`
	Events          []podautoscaler.Event                            `json:"events"`
	History         podautoscaler.History                            `json:"history"`
}

// What the controller reads and writes for the situation at hand.
type world struct {
	situation *situation
	pods      *metricsv1beta1.PodMetricsList
	external  *externalv1beta1.ExternalMetricValueList
	scaleTo   *int32
	status    autoscalingv2.HorizontalPodAutoscalerStatus
}

func (w *world) enter(s *situation) error {
	w.situation, w.pods, w.external, w.scaleTo = s, nil, nil, nil
	for i, metric := range s.Hpa.Spec.Metrics {
		var err error
		if metric.Type == autoscalingv2.ExternalMetricSourceType {
			w.external = &externalv1beta1.ExternalMetricValueList{}
			err = json.Unmarshal(s.Metrics[i], w.external)
		} else {
			w.pods = &metricsv1beta1.PodMetricsList{}
			err = json.Unmarshal(s.Metrics[i], w.pods)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

type scales struct {
	scaleclient.ScaleInterface
	*world
}

func (s scales) Scales(string) scaleclient.ScaleInterface { return s }

func (s scales) Get(context.Context, schema.GroupResource, string, metav1.GetOptions) (*autoscalingv1.Scale, error) {
	return s.situation.Scale.DeepCopy(), nil
}

func (s scales) Update(_ context.Context, _ schema.GroupResource, scale *autoscalingv1.Scale, _ metav1.UpdateOptions) (*autoscalingv1.Scale, error) {
	s.scaleTo = &scale.Spec.Replicas
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
	h.status = hpa.Status
	return hpa, nil
}

type pods struct {
	corelisters.PodNamespaceLister
	*world
}

func (p pods) Pods(string) corelisters.PodNamespaceLister { return p }

func (p pods) List(selector labels.Selector) ([]*corev1.Pod, error) {
	selected := make([]*corev1.Pod, 0, len(p.situation.Pods))
	for _, pod := range p.situation.Pods {
		if selector.Matches(labels.Set(pod.Labels)) {
			selected = append(selected, pod)
		}
	}
	return selected, nil
}

type podMetrics struct {
	resourceclient.PodMetricsInterface
	*world
}

func (m podMetrics) PodMetricses(string) resourceclient.PodMetricsInterface { return m }

func (m podMetrics) List(context.Context, metav1.ListOptions) (*metricsv1beta1.PodMetricsList, error) {
	return m.pods, nil
}

type externalMetrics struct{ *world }

func (m externalMetrics) NamespacedMetrics(string) externalclient.MetricsInterface { return m }

func (m externalMetrics) List(string, labels.Selector) (*externalv1beta1.ExternalMetricValueList, error) {
	return m.external, nil
}

type decider struct {
	*podautoscaler.Decider
	*world
}

func newDecider() decider {
	group := schema.GroupVersion{Group: "apps", Version: "v1"}
	mapper := apimeta.NewDefaultRESTMapper([]schema.GroupVersion{group})
	mapper.Add(group.WithKind("Deployment"), apimeta.RESTScopeNamespace)
	w := &world{}
	return decider{podautoscaler.NewDecider(podautoscaler.Sources{
		Scales:  scales{world: w},
		Hpas:    hpas{world: w},
		Mapper:  mapper,
		Metrics: metricsclient.NewRESTMetricsClient(podMetrics{world: w}, nil, externalMetrics{w}),
		Pods:    pods{world: w},
	}), w}
}

func (d decider) decide() decision {
	d.status = d.situation.Hpa.Status
	history, events, err := d.Decide(d.situation.Hpa, d.situation.History)
	if err != nil {
		events = append(events, podautoscaler.Event{Type: "Error", Message: err.Error()})
	}
	return decision{d.status.DesiredReplicas, d.scaleTo, d.status.Conditions, d.status.CurrentMetrics, events, history}
}

func withJSON(d decider, lines [][]byte, output io.Writer) {
	for _, line := range lines {
		s := &situation{}
		check(json.Unmarshal(line, s))
		check(d.enter(s))
		answer, err := json.Marshal(d.decide())
		check(err)
		output.Write(append(answer, '\n'))
	}
}

func alone(worlds []decider) {
	for _, one := range worlds {
		one.scaleTo = nil
		one.decide()
	}
}

func main() {
	klog.SetLogger(logr.Discard())
	check(utilfeature.DefaultMutableFeatureGate.Set("HPAScaleToZero=true,HPAConfigurableTolerance=true"))
	rounds, err := strconv.Atoi(os.Args[2])
	check(err)
	input, err := io.ReadAll(bufio.NewReader(os.Stdin))
	check(err)
	lines := bytes.Split(bytes.TrimSpace(input), []byte("\n"))
	round := func() { withJSON(newDecider(), lines, io.Discard) }
	if os.Args[1] == "decision" {
		worlds := make([]decider, len(lines))
		for i, line := range lines {
			worlds[i] = newDecider()
			s := &situation{}
			check(json.Unmarshal(line, s))
			check(worlds[i].enter(s))
		}
		round = func() { alone(worlds) }
	}
	for i := 0; i < rounds; i++ {
		start := cpuSeconds()
		round()
		fmt.Fprintln(os.Stderr, int(float64(len(lines))/(cpuSeconds()-start)))
	}
	output := bufio.NewWriter(os.Stdout)
	withJSON(newDecider(), lines, output)
	check(output.Flush())
}

// cpuSeconds is the time of all threads, the garbage collector's too.
func cpuSeconds() float64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
