package main

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	v2 "k8s.io/api/autoscaling/v2"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kedacore/keda/v2/pkg/scalers/scalersconfig"
	"github.com/kedacore/keda/v2/pkg/scaling"
)

// {"kind": "reading", "given": {type, metadata, authentication?, cluster?, now?}}  {"expect": {value, active} or {error}}
func init() { moreKinds["reading"] = readTrigger }

type readingQuestion struct {
	Type           string            `json:"type"`
	Metadata       map[string]string `json:"metadata"`
	Authentication map[string]string `json:"authentication"`
	// For a trigger that reads the cluster.
	Cluster *clusterAddress `json:"cluster"`
	// The instant, for a trigger that reads nothing but the clock.
	Now *time.Time `json:"now"`
}

type clusterAddress struct {
	Endpoint             string `json:"endpoint"`
	Token                string `json:"token"`
	CertificateAuthority []byte `json:"certificateAuthorityData"`
}

type readingAnswer struct {
	Value  string `json:"value,omitempty"`
	Active bool   `json:"active"`
	Error  string `json:"error,omitempty"`
}

func readTrigger(t *testing.T, text json.RawMessage) (expect any, err error) {
	var asked readingQuestion
	if err := json.Unmarshal(text, &asked); err != nil {
		return nil, err
	}
	if asked.Now == nil {
		return read(asked)
	}
	synctest.Test(t, func(*testing.T) {
		time.Sleep(time.Until(*asked.Now))
		expect, err = read(asked)
	})
	return expect, err
}

func read(asked readingQuestion) (any, error) {
	scaling.Transport = nil
	config := configOf(asked)
	var cluster client.Client
	if at := asked.Cluster; at != nil {
		reaching := &rest.Config{Host: at.Endpoint, BearerToken: at.Token}
		reaching.CAData = at.CertificateAuthority
		var err error
		if cluster, err = client.New(reaching, client.Options{Scheme: scheme}); err != nil {
			return nil, err
		}
	}
	values, active, err := scaling.Read(context.Background(), cluster, config)
	if err != nil {
		return readingAnswer{Error: err.Error()}, nil
	}
	if len(values) != 1 {
		return nil, errors.New("a trigger has one value")
	}
	return readingAnswer{Value: values[0].Value.String(), Active: active}, nil
}

func configOf(asked readingQuestion) *scalersconfig.ScalerConfig {
	config := &scalersconfig.ScalerConfig{
		ScalableObjectName: "orders", ScalableObjectNamespace: "shop", ScalableObjectType: "ScaledObject",
		TriggerType: asked.Type, TriggerMetadata: asked.Metadata, AuthParams: asked.Authentication,
		ResolvedEnv: map[string]string{}, GlobalHTTPTimeout: 3 * time.Second, MetricType: v2.AverageValueMetricType,
		TriggerUniqueKey: "ScaledObject-shop-orders-0", Recorder: noEvents{},
	}
	if config.AuthParams == nil {
		config.AuthParams = map[string]string{}
	}
	return config
}
