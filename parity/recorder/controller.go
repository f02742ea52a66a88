package main

import (
	"context"
	"encoding/json"
	"fmt"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	autoscalinginformers "k8s.io/client-go/informers/autoscaling/v2"
	coreinformers "k8s.io/client-go/informers/core/v1"
	autoscalinglisters "k8s.io/client-go/listers/autoscaling/v2"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
	metricsclient "k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
)

const (
	// The controller syncs when it is told to, and never by itself.
	never = 1000 * time.Hour
	// Names of the targets and the metrics of other HPAs, which no generated one has.
	otherPrefix = "target-of-another-hpa-"
)

type decision struct {
	DesiredReplicas int32                        `json:"desiredReplicas"`
	ScaleTo         *int32                       `json:"scaleTo"`
	Conditions      []condition                  `json:"conditions"`
	CurrentMetrics  []autoscalingv2.MetricStatus `json:"currentMetrics"`
	Events          []event                      `json:"events"`
	// None, and that of an object without a generation, are both left out.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

type condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

type event struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

type crash struct{ reason any }

func (c crash) Error() string { return fmt.Sprint(c.reason) }

// reconcileAll answers a situation or a story with one controller, in a bubble.
func reconcileAll(kind string, text json.RawMessage) (any, error) {
	var asked given
	if err := json.Unmarshal(text, &asked); err != nil {
		return nil, err
	}
	if asked.Hpa == nil {
		return nil, fmt.Errorf("the %s has no hpa", kind)
	}
	hpa, err := served(asked.Hpa)
	if err != nil {
		return nil, err
	}
	steps := asked.Steps
	if kind == "decision" {
		steps = []observed{asked.observed}
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("a story has at least one step")
	}
	time.Sleep(time.Until(steps[0].Now)) // before there are tickers
	running := start(asked, hpa)
	defer func() { running.stop() }()
	answers := make([]decision, 0, len(steps))
	for _, step := range steps {
		time.Sleep(time.Until(step.Now))
		if step.Restarted {
			running.stop()
			running = start(asked, running.hpa)
		}
		one, err := running.sync(step)
		if err != nil {
			return nil, err
		}
		answers = append(answers, one)
	}
	if kind == "decision" {
		return answers[0], nil
	}
	return answers, nil
}

type running struct {
	*world
	key     string
	hpas    cache.Indexer
	handler cache.ResourceEventHandler
	events  *eventLog
	crashed any
	stop    func()
}

func start(asked given, hpa *autoscalingv2.HorizontalPodAutoscaler) *running {
	w := &world{observed: asked.observed, hpa: hpa, others: map[string]string{}}
	r := &running{world: w, key: hpa.Namespace + "/" + hpa.Name, events: &eventLog{of: hpa.Name}}
	if len(asked.Steps) > 0 {
		w.observed = asked.Steps[0]
	}
	r.hpas = cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	informer := &informer{indexer: r.hpas}
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.New(r.events)))
	tolerance := 0.1
	if asked.Options.Tolerance != nil {
		tolerance = *asked.Options.Tolerance
	}
	controller := podautoscaler.NewHorizontalController(
		ctx,
		eventSink{},
		scales{world: w},
		hpas{world: w},
		mapper{},
		metricsclient.NewRESTMetricsClient(resourceMetrics{world: w}, customMetrics{w}, externalMetrics{w}),
		hpaInformer{informer: informer, indexer: r.hpas},
		podInformer{informer: informer, lister: pods{world: w}},
		never,
		secondsOr(asked.Options.DownscaleStabilization, 5*time.Minute),
		tolerance,
		secondsOr(asked.Options.CPUInitialization, 5*time.Minute),
		secondsOr(asked.Options.InitialReadiness, 30*time.Second),
	)
	r.handler = informer.handler
	utilruntime.ReallyCrash = false
	utilruntime.PanicHandlers = []func(context.Context, any){func(_ context.Context, reason any) { r.crashed = reason }}
	ended := make(chan struct{})
	go func() { defer close(ended); controller.Run(ctx, 1) }()
	r.stop = func() { cancel(); <-ended; synctest.Wait() }
	synctest.Wait()
	for _, other := range asked.OtherHpas {
		w.listed = true
		r.add(otherAutoscaler(other, w))
	}
	remember(controller, r.key, asked.History)
	return r
}

// otherAutoscaler registers its selector in its first sync, and changes nothing.
func otherAutoscaler(other otherHpa, w *world) *autoscalingv2.HorizontalPodAutoscaler {
	target := otherPrefix + other.Namespace + "-" + other.Name
	w.others[target] = other.Selector
	one, hundred := int32(1), resource.MustParse("100")
	hpa := &autoscalingv2.HorizontalPodAutoscaler{}
	hpa.Namespace, hpa.Name = other.Namespace, other.Name
	hpa.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: target}
	hpa.Spec.MinReplicas, hpa.Spec.MaxReplicas = &one, 1
	hpa.Spec.Metrics = []autoscalingv2.MetricSpec{{
		Type: autoscalingv2.ExternalMetricSourceType,
		External: &autoscalingv2.ExternalMetricSource{
			Metric: autoscalingv2.MetricIdentifier{Name: target},
			Target: autoscalingv2.MetricTarget{Type: autoscalingv2.ValueMetricType, Value: &hundred},
		},
	}}
	return hpa
}

// add makes the controller sync an HPA at once, and waits until it has.
func (r *running) add(hpa *autoscalingv2.HorizontalPodAutoscaler) {
	if err := r.hpas.Add(hpa); err != nil {
		panic(err)
	}
	r.handler.OnAdd(hpa, false)
	synctest.Wait()
}

func (r *running) sync(step observed) (decision, error) {
	r.observed, r.listed, r.asked, r.refused, r.scaleTo, r.status, r.events.seen = step, false, 0, false, nil, nil, []event{}
	r.add(r.hpa)
	time.Sleep(2 * tick)
	if r.refused {
		time.Sleep(time.Second) // upstream tries again after some milliseconds
	}
	synctest.Wait()
	if r.crashed != nil {
		return decision{}, crash{r.crashed}
	}
	status := r.hpa.Status
	if r.status != nil {
		status = *r.status
		changed := r.hpa.DeepCopy()
		changed.Status = *r.status
		stored, err := readBack(changed)
		if err != nil {
			return decision{}, err
		}
		r.hpa = stored
	}
	answer := decision{
		DesiredReplicas: status.DesiredReplicas, ScaleTo: r.scaleTo, Conditions: []condition{},
		CurrentMetrics: status.CurrentMetrics, Events: r.events.seen,
	}
	if status.ObservedGeneration != nil {
		answer.ObservedGeneration = *status.ObservedGeneration
	}
	for _, one := range status.Conditions {
		answer.Conditions = append(answer.Conditions, condition{string(one.Type), string(one.Status), one.Reason, one.Message})
	}
	if answer.CurrentMetrics == nil {
		answer.CurrentMetrics = []autoscalingv2.MetricStatus{}
	}
	return answer, nil
}

// An informer that is synced and that nobody feeds but us.
type informer struct {
	cache.SharedIndexInformer
	indexer cache.Indexer
	handler cache.ResourceEventHandler
}

func (i *informer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	i.handler = handler
	return nil, nil
}

func (i *informer) HasSynced() bool { return true }

func (i *informer) GetStore() cache.Store { return i.indexer }

type hpaInformer struct {
	autoscalinginformers.HorizontalPodAutoscalerInformer
	informer *informer
	indexer  cache.Indexer
}

func (h hpaInformer) Informer() cache.SharedIndexInformer { return h.informer }

func (h hpaInformer) Lister() autoscalinglisters.HorizontalPodAutoscalerLister {
	return autoscalinglisters.NewHorizontalPodAutoscalerLister(h.indexer)
}

type podInformer struct {
	coreinformers.PodInformer
	informer *informer
	lister   corelisters.PodLister
}

func (p podInformer) Informer() cache.SharedIndexInformer { return p.informer }

func (p podInformer) Lister() corelisters.PodLister { return p.lister }
