package main

import (
	"context"
	"encoding/json"
	"errors"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	hpastrategy "k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
)

type admitted struct {
	Errors     []string                                   `json:"errors"`
	Spec       *autoscalingv2.HorizontalPodAutoscalerSpec `json:"spec,omitempty"`
	Generation int64                                      `json:"generation,omitempty"`
}

type document struct {
	*autoscaling.HorizontalPodAutoscaler
	version string
}

// kubectl asks for it: a field that no version has is an error.
var strict = serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict)

// decode reads, defaults and converts a document as the API server does.
func decode(text []byte, codecs serializer.CodecFactory) (document, error) {
	object, kind, err := codecs.UniversalDecoder(autoscaling.SchemeGroupVersion).Decode(text, nil, nil)
	if err != nil {
		return document{}, err
	}
	hpa, ok := object.(*autoscaling.HorizontalPodAutoscaler)
	if !ok {
		return document{}, errors.New("not a HorizontalPodAutoscaler")
	}
	if hpa.Namespace == "" {
		hpa.Namespace = "default"
	}
	return document{hpa, kind.Version}, nil
}

func (d document) request(verb string) context.Context {
	return genericrequest.WithRequestInfo(genericrequest.WithNamespace(context.Background(), d.Namespace), &genericrequest.RequestInfo{
		IsResourceRequest: true, Verb: verb, Namespace: d.Namespace, Name: d.Name,
		APIPrefix: "apis", APIGroup: "autoscaling", APIVersion: d.version, Resource: "horizontalpodautoscalers",
	})
}

func create(text []byte) (any, error) {
	hpa, err := decode(text, strict)
	if err != nil {
		return nil, err
	}
	rest.FillObjectMetaSystemFields(hpa)
	return hpa.answer(rest.BeforeCreate(hpastrategy.Strategy, hpa.request("create"), hpa.HorizontalPodAutoscaler))
}

// update replaces a stored object, which may be one that a newer validation refuses.
func update(text []byte) (any, error) {
	var asked struct {
		Old json.RawMessage `json:"old"`
		New json.RawMessage `json:"new"`
	}
	if err := json.Unmarshal(text, &asked); err != nil {
		return nil, err
	}
	stored, err := decode(asked.Old, legacyscheme.Codecs)
	if err != nil {
		return nil, err
	}
	rest.FillObjectMetaSystemFields(stored)
	stored.ResourceVersion = "1"
	hpa, err := decode(asked.New, strict)
	if err != nil {
		return nil, err
	}
	hpa.ResourceVersion = stored.ResourceVersion // unconditional
	return hpa.answer(rest.BeforeUpdate(hpastrategy.Strategy, hpa.request("update"), hpa.HorizontalPodAutoscaler, stored.HorizontalPodAutoscaler))
}

func (d document) answer(refused error) (any, error) {
	if refused != nil {
		var status apierrors.APIStatus
		if !errors.As(refused, &status) || status.Status().Details == nil {
			return admitted{Errors: []string{refused.Error()}}, nil
		}
		texts := []string{}
		for _, cause := range status.Status().Details.Causes {
			texts = append(texts, cause.Field+": "+cause.Message)
		}
		return admitted{Errors: texts}, nil
	}
	// It is stored in v2, and gets v2's defaults when it is read.
	converted, err := legacyscheme.Scheme.ConvertToVersion(d.HorizontalPodAutoscaler, autoscalingv2.SchemeGroupVersion)
	if err != nil {
		return nil, err
	}
	stored := converted.(*autoscalingv2.HorizontalPodAutoscaler)
	legacyscheme.Scheme.Default(stored)
	return admitted{Errors: []string{}, Spec: &stored.Spec, Generation: d.Generation}, nil
}
