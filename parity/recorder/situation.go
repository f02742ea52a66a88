package main

import (
	"encoding/json"
	"errors"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	defaults "k8s.io/kubernetes/pkg/apis/autoscaling/v2"
)

// A situation or a story, as test/vectors/README.md says.
type given struct {
	Hpa       *autoscalingv2.HorizontalPodAutoscaler `json:"hpa"`
	Options   options                                `json:"options"`
	OtherHpas []otherHpa                             `json:"otherHpas"`
	History   *history                               `json:"history"`
	observed
	Steps []observed `json:"steps"`
}

type observed struct {
	Now     time.Time        `json:"now"`
	Scale   scaleAnswer      `json:"scale"`
	Pods    []*corev1.Pod    `json:"pods"`
	Metrics []metricResponse `json:"metrics"`
	// The controller's process ended since the last step.
	Restarted bool `json:"restarted"`
}

type options struct {
	Tolerance              *float64 `json:"tolerance"`
	DownscaleStabilization *int64   `json:"downscaleStabilizationSeconds"`
	CPUInitialization      *int64   `json:"cpuInitializationPeriodSeconds"`
	InitialReadiness       *int64   `json:"initialReadinessDelaySeconds"`
}

type otherHpa struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Selector  string `json:"selector"`
}

type scaleAnswer struct {
	autoscalingv1.Scale
	Error string `json:"error"`
	// Somebody sets this size before the controller writes its own.
	ChangedTo *int32 `json:"changedTo"`
}

type metricResponse struct {
	Error string `json:"error"`
	text  json.RawMessage
}

func (m *metricResponse) UnmarshalJSON(text []byte) error {
	type plain metricResponse
	m.text = append(json.RawMessage(nil), text...)
	return json.Unmarshal(text, (*plain)(m))
}

// read decodes the items of a response, or returns the error that it has instead.
func (m metricResponse) read(into any) error {
	if m.Error != "" {
		return errors.New(m.Error)
	}
	return json.Unmarshal(m.text, into)
}

// served is the HPA as the API server serves it: defaulted, and each quantity in its canonical form.
func served(hpa *autoscalingv2.HorizontalPodAutoscaler) (*autoscalingv2.HorizontalPodAutoscaler, error) {
	defaults.SetObjectDefaults_HorizontalPodAutoscaler(hpa)
	return readBack(hpa)
}

func readBack(hpa *autoscalingv2.HorizontalPodAutoscaler) (*autoscalingv2.HorizontalPodAutoscaler, error) {
	text, err := json.Marshal(hpa)
	if err != nil {
		return nil, err
	}
	read := &autoscalingv2.HorizontalPodAutoscaler{}
	return read, json.Unmarshal(text, read)
}

func secondsOr(given *int64, otherwise time.Duration) time.Duration {
	if given == nil {
		return otherwise
	}
	return time.Duration(*given) * time.Second
}
