package scalers

import "net/http"

// KEDA has it in a scaler that is not here.
const externalMetricType = "External"

// WithTransport answers the requests of a scaler from a script instead of a server.
func WithTransport(scaler Scaler, transport http.RoundTripper) {
	if api, ok := scaler.(*metricsAPIScaler); ok {
		api.httpClient.Transport = transport
	}
}
