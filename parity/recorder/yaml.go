package main

import (
	"encoding/json"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// printYaml does what kubectl does with an object of any kind.
func printYaml(given []byte) (any, error) {
	var text string
	if err := json.Unmarshal(given, &text); err != nil {
		return nil, err
	}
	var value any
	if err := utiljson.Unmarshal([]byte(text), &value); err != nil {
		return nil, err
	}
	printed, err := yaml.Marshal(value)
	return string(printed), err
}
