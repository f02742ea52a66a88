package scaling

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	v2 "k8s.io/api/autoscaling/v2"
	"k8s.io/metrics/pkg/apis/external_metrics"
	"sigs.k8s.io/controller-runtime/pkg/client"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/kedacore/keda/v2/pkg/scalers"
	"github.com/kedacore/keda/v2/pkg/scalers/scalersconfig"
)

// Transport answers the requests of metrics-api scalers, if it is set.
var Transport http.RoundTripper

// buildScaler stands before KEDA's own, which scripts/servers/keda-recorder.mjs renames.
func buildScaler(ctx context.Context, client client.Client, triggerType string, config *scalersconfig.ScalerConfig) (scalers.Scaler, error) {
	scaler, err := buildScalerOf(ctx, client, triggerType, config)
	if err == nil && Transport != nil {
		scalers.WithTransport(scaler, Transport)
	}
	return scaler, err
}

// Read is what KEDA reads for one trigger of an object: the number and the activity of its metric.
func Read(ctx context.Context, cluster client.Client, config *scalersconfig.ScalerConfig) ([]external_metrics.ExternalMetricValue, bool, error) {
	scaler, err := buildScaler(ctx, cluster, config.TriggerType, config)
	if err != nil {
		return nil, false, err
	}
	defer scaler.Close(ctx)
	spec := scaler.GetMetricSpecForScaling(ctx)
	return scaler.GetMetricsAndActivity(ctx, spec[0].External.Metric.Name)
}

// Check is the metric that KEDA puts into its HPA for one trigger, or why it refuses the trigger. It connects to nothing.
func Check(ctx context.Context, config *scalersconfig.ScalerConfig) (spec []v2.MetricSpec, err error) {
	// The CPU scaler panics at a quantity that it cannot read; the reconciler makes an error of that.
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("%v", panicked)
		}
	}()
	var scaler scalers.Scaler
	if config.TriggerType != "cpu" && config.TriggerType != "memory" {
		if scaler, err = scalers.Unconnected(config); err != nil {
			return nil, err
		}
	}
	if scaler == nil {
		if scaler, err = buildScaler(ctx, nil, config.TriggerType, config); err != nil {
			return nil, err
		}
		defer scaler.Close(ctx)
	}
	return scaler.GetMetricSpecForScaling(ctx), nil
}

// Poll is one turn of KEDA's scale loop.
func Poll(ctx context.Context, handler ScaleHandler, object *kedav1alpha1.ScaledObject) {
	handler.(*scaleHandler).checkScalers(ctx, object, &sync.Mutex{})
}
