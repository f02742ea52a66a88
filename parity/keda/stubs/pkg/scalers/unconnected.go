package scalers

import (
	"fmt"

	"github.com/go-logr/logr"

	"github.com/kedacore/keda/v2/pkg/scalers/scalersconfig"
)

// Unconnected is the scaler of a trigger whose constructor would connect: its settings, parsed and checked. Nil: the
// constructor of this type connects to nothing.
func Unconnected(config *scalersconfig.ScalerConfig) (Scaler, error) {
	metricType, err := GetMetricTargetType(config)
	if err != nil {
		return nil, fmt.Errorf("error getting scaler metric type: %w", err)
	}
	switch config.TriggerType {
	case "kafka":
		metadata, err := parseKafkaMetadata(config, logr.Discard())
		return &kafkaScaler{metricType: metricType, metadata: metadata}, err
	case "postgresql":
		metadata, _, err := parsePostgreSQLMetadata(logr.Discard(), config)
		return &postgreSQLScaler{metricType: metricType, metadata: metadata}, err
	case "rabbitmq":
		metadata, err := parseRabbitMQMetadata(config)
		return &rabbitMQScaler{metricType: metricType, metadata: metadata}, err
	case "redis", "redis-cluster", "redis-sentinel":
		metadata, err := parseRedisMetadata(config)
		return &redisScaler{metricType: metricType, metadata: metadata}, err
	case "redis-streams", "redis-cluster-streams", "redis-sentinel-streams":
		metadata, err := parseRedisStreamsMetadata(config)
		return &redisStreamsScaler{metricType: metricType, metadata: metadata}, err
	}
	return nil, nil
}
