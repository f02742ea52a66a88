package scaling

import (
	"context"
	"net/http"
	"sync"

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

// Poll is one turn of KEDA's scale loop.
func Poll(ctx context.Context, handler ScaleHandler, object *kedav1alpha1.ScaledObject) {
	handler.(*scaleHandler).checkScalers(ctx, object, &sync.Mutex{})
}
