// Package metricscollector: KEDA's own metrics, which no answer depends on, are not recorded.
package metricscollector

import "time"

func RecordScalerMetric(string, string, string, int, string, bool, float64) {}

func RecordScalerLatency(string, string, string, int, string, bool, time.Duration) {}

func RecordScalableObjectLatency(string, string, bool, time.Duration) {}

func RecordScalerActive(string, string, string, int, string, bool, bool) {}

func RecordScalerError(string, string, string, int, string, bool, error) {}

func RecordScaledObjectError(string, string, error) {}

func RecordScaledJobError(string, string, error) {}

func RecordEmptyUpstreamResponse(string, string, string, string, string, bool) {}

func RecordHTTPClientRequest(float64, int, bool, string, string, string, string, string) {}
