package main

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	v2 "k8s.io/api/autoscaling/v2"

	"github.com/kedacore/keda/v2/pkg/scaling"
)

// {"kind": "settings", "given": {type, metadata, metricType?, isOperand?}}  {"expect": {target} or {error}}
func init() { moreKinds["settings"] = checkSettings }

type settingsQuestion struct {
	readingQuestion
	MetricType v2.MetricTargetType `json:"metricType"`
	// A trigger of a formula, which has its own target.
	IsOperand bool `json:"isOperand"`
}

type settingsAnswer struct {
	Target *v2.MetricTarget `json:"target,omitempty"`
	Error  string           `json:"error,omitempty"`
}

func checkSettings(_ *testing.T, text json.RawMessage) (any, error) {
	var asked settingsQuestion
	if err := json.Unmarshal(text, &asked); err != nil {
		return nil, err
	}
	config := configOf(asked.readingQuestion)
	config.MetricType, config.AsMetricSource = asked.MetricType, asked.IsOperand
	specs, err := scaling.Check(context.Background(), config)
	if err != nil {
		return settingsAnswer{Error: err.Error()}, nil
	}
	if len(specs) != 1 {
		return nil, errors.New("a trigger has one metric")
	}
	switch spec := specs[0]; {
	case spec.External != nil:
		return settingsAnswer{Target: &spec.External.Target}, nil
	case spec.ContainerResource != nil:
		return settingsAnswer{Target: &spec.ContainerResource.Target}, nil
	default:
		return settingsAnswer{Target: &spec.Resource.Target}, nil
	}
}
