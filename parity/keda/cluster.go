package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	scaleclient "k8s.io/client-go/scale"
	resourceapi "k8s.io/metrics/pkg/apis/metrics/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
)

var scheme = runtime.NewScheme()

func init() {
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(kedav1alpha1.AddToScheme(scheme))
}

// cluster has the target and its pods, all ready since long ago. Its API server stores everything else.
type cluster struct {
	client.Client
	object     *kedav1alpha1.ScaledObject
	size       int32
	read       *script
	controller *running
}

func newCluster(size int32, object *kedav1alpha1.ScaledObject) *cluster {
	stored := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&kedav1alpha1.ScaledObject{}).WithObjects(object)
	return &cluster{Client: stored.Build(), object: object, size: size}
}

func (c *cluster) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	switch object := into.(type) {
	case *appsv1.Deployment:
		object.Namespace, object.Name = key.Namespace, key.Name
		object.Spec.Replicas = &c.size
		return nil
	case *autoscalingv2.HorizontalPodAutoscaler:
		if c.controller != nil {
			c.controller.hpa.DeepCopyInto(object)
			return nil
		}
	}
	return c.Client.Get(ctx, key, into, options...)
}

func (c *cluster) List(ctx context.Context, into client.ObjectList, options ...client.ListOption) error {
	pods, ok := into.(*corev1.PodList)
	if !ok {
		return c.Client.List(ctx, into, options...)
	}
	for _, pod := range c.pods() {
		pods.Items = append(pods.Items, *pod)
	}
	return nil
}

func (c *cluster) scaledObject(ctx context.Context) (*kedav1alpha1.ScaledObject, error) {
	one := &kedav1alpha1.ScaledObject{}
	return one, c.Client.Get(ctx, client.ObjectKeyFromObject(c.object), one)
}

// The scale client of KEDA.
type targets struct {
	scaleclient.ScaleInterface
	*cluster
}

func (c *cluster) Scales(string) scaleclient.ScaleInterface { return targets{cluster: c} }

func (t targets) Get(context.Context, schema.GroupResource, string, metav1.GetOptions) (*autoscalingv1.Scale, error) {
	return t.scale(), nil
}

func (t targets) Update(_ context.Context, _ schema.GroupResource, scale *autoscalingv1.Scale, _ metav1.UpdateOptions) (*autoscalingv1.Scale, error) {
	t.size = scale.Spec.Replicas
	return scale, nil
}

const (
	podsRequest = 1000 // of each resource, in its smallest unit: mCPU, bytes
	podsAge     = time.Hour
)

func (c *cluster) pods() []*corev1.Pod {
	since := metav1.NewTime(time.Now().Add(-podsAge))
	pods := []*corev1.Pod{}
	for index := range c.size {
		pod := &corev1.Pod{}
		pod.Namespace, pod.Name = c.object.Namespace, fmt.Sprintf("worker-%d", index)
		pod.Labels = map[string]string{"app": "worker"}
		pod.Spec.Containers = []corev1.Container{{Name: "app", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU:    *resource.NewMilliQuantity(podsRequest, resource.DecimalSI),
			corev1.ResourceMemory: *resource.NewQuantity(podsRequest, resource.DecimalSI),
		}}}}
		pod.Status.Phase, pod.Status.StartTime = corev1.PodRunning, &since
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: since}}
		pods = append(pods, pod)
	}
	return pods
}

// usage is the resource metrics API's answer: each pod uses what the trigger of this resource has.
func (c *cluster) usage(metric autoscalingv2.MetricSpec, object *kedav1alpha1.ScaledObject) (*resourceapi.PodMetricsList, error) {
	name := corev1.ResourceName("")
	switch {
	case metric.Resource != nil:
		name = metric.Resource.Name
	case metric.ContainerResource != nil:
		name = metric.ContainerResource.Name
	}
	list := &resourceapi.PodMetricsList{}
	for index, trigger := range object.Spec.Triggers {
		if trigger.Type != string(name) {
			continue
		}
		percent := c.read.read[index]
		if percent == nil {
			return list, nil
		}
		amount := int64(*percent * podsRequest / 100)
		for index := range c.size {
			used := corev1.ResourceList{
				corev1.ResourceCPU:    *resource.NewMilliQuantity(amount, resource.DecimalSI),
				corev1.ResourceMemory: *resource.NewQuantity(amount, resource.DecimalSI),
			}
			one := resourceapi.PodMetrics{Timestamp: metav1.Now(), Window: metav1.Duration{Duration: time.Minute}}
			one.Namespace, one.Name = c.object.Namespace, fmt.Sprintf("worker-%d", index)
			one.Containers = []resourceapi.ContainerMetrics{{Name: "app", Usage: used}}
			list.Items = append(list.Items, one)
		}
		return list, nil
	}
	return nil, fmt.Errorf("no trigger of type %q", name)
}

// script answers for the servers of metrics-api triggers: that of the third one is trigger-2.example.
type script struct{ read []*float64 }

func (s *script) RoundTrip(request *http.Request) (*http.Response, error) {
	host, _, _ := strings.Cut(request.URL.Hostname(), ".")
	index, err := strconv.Atoi(strings.TrimPrefix(host, "trigger-"))
	if err != nil || index >= len(s.read) {
		panic("the script has no server " + host)
	}
	response := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: request}
	text := ""
	if s.read[index] == nil {
		response.StatusCode = http.StatusInternalServerError
	} else {
		text = fmt.Sprintf(`{"value": %s}`, strconv.FormatFloat(*s.read[index], 'f', -1, 64))
	}
	response.Body = io.NopCloser(strings.NewReader(text))
	return response, nil
}

type noEvents struct{}

func (noEvents) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}
