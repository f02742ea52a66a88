// Package gcp is as much of KEDA's as other sources name: nothing of Google's cloud is recorded.
package gcp

import (
	"errors"
	"net/http"

	"github.com/kedacore/keda/v2/pkg/scalers/scalersconfig"
)

const GcpScopeMonitoringRead = "https://www.googleapis.com/auth/monitoring.read"

var ErrGoogleApplicationCrendentialsNotFound = errors.New("google application credentials not found")

func GetGCPOAuth2HTTPTransport(*scalersconfig.ScalerConfig, http.RoundTripper, ...string) (http.RoundTripper, error) {
	return nil, ErrGoogleApplicationCrendentialsNotFound
}
