package keda

import (
	"context"

	"github.com/go-logr/logr"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/kedacore/keda/v2/pkg/scaling"
)

// ScaledObjectReconciler is as much of KEDA's as hpa.go needs.
type ScaledObjectReconciler struct {
	client.Client
	Scheme       *runtime.Scheme
	ScaleHandler scaling.ScaleHandler
}

// CreateHPA makes the HPA of an object, and returns it.
func (r *ScaledObjectReconciler) CreateHPA(ctx context.Context, object *kedav1alpha1.ScaledObject) (*autoscalingv2.HorizontalPodAutoscaler, error) {
	if err := r.createAndDeployNewHPA(ctx, logr.Discard(), object, object.Status.ScaleTargetGVKR); err != nil {
		return nil, err
	}
	hpa := &autoscalingv2.HorizontalPodAutoscaler{}
	key := client.ObjectKey{Namespace: object.Namespace, Name: getHPAName(object)}
	return hpa, r.Get(ctx, key, hpa)
}
