// Package alb: no Rollout of the tests has this traffic routing.
package alb

import (
	"errors"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"

	"github.com/argoproj/argo-rollouts/pkg/apis/rollouts/v1alpha1"
	"github.com/argoproj/argo-rollouts/rollout/trafficrouting"
	"github.com/argoproj/argo-rollouts/utils/record"
)

type ReconcilerConfig struct {
	Rollout        *v1alpha1.Rollout
	Client         kubernetes.Interface
	Recorder       record.EventRecorder
	ControllerKind schema.GroupVersionKind
	IngressWrapper any
	Status         *v1alpha1.RolloutStatus
}

func NewReconciler(ReconcilerConfig) (trafficrouting.TrafficRoutingReconciler, error) {
	return nil, errors.New("left out")
}
