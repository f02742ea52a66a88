package resolver

import (
	"context"
	"errors"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	corev1listers "k8s.io/client-go/listers/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/kedacore/keda/v2/pkg/scalers/authentication"
)

// No recorded object has its credentials in a vault.
var errNoVault = errors.New("the recorder reads no vault")

type HashicorpVaultHandler struct{}

func NewHashicorpVaultHandler(*kedav1alpha1.HashiCorpVault, *authentication.AuthClientSet, string) *HashicorpVaultHandler {
	return &HashicorpVaultHandler{}
}

func (*HashicorpVaultHandler) Initialize(logr.Logger) error { return errNoVault }

func (*HashicorpVaultHandler) ResolveSecrets([]kedav1alpha1.VaultSecret) ([]kedav1alpha1.VaultSecret, error) {
	return nil, errNoVault
}

func (*HashicorpVaultHandler) Stop() {}

func vaultAddressesEqual(a, b string) bool { return a == b }

type AzureKeyVaultHandler struct{}

func NewAzureKeyVaultHandler(*kedav1alpha1.AzureKeyVault) *AzureKeyVaultHandler {
	return &AzureKeyVaultHandler{}
}

func (*AzureKeyVaultHandler) Initialize(context.Context, client.Client, logr.Logger, string, corev1listers.SecretLister) error {
	return errNoVault
}

func (*AzureKeyVaultHandler) Read(context.Context, string, string) (string, error) {
	return "", errNoVault
}

type GCPSecretManagerHandler struct{}

func NewGCPSecretManagerHandler(*kedav1alpha1.GCPSecretManager) *GCPSecretManagerHandler {
	return &GCPSecretManagerHandler{}
}

func (*GCPSecretManagerHandler) Initialize(context.Context, client.Client, logr.Logger, string, corev1listers.SecretLister) error {
	return errNoVault
}

func (*GCPSecretManagerHandler) Read(context.Context, string, string) (string, error) {
	return "", errNoVault
}

type AwsSecretManagerHandler struct{}

func NewAwsSecretManagerHandler(*kedav1alpha1.AwsSecretManager) *AwsSecretManagerHandler {
	return &AwsSecretManagerHandler{}
}

func (*AwsSecretManagerHandler) Initialize(context.Context, client.Client, logr.Logger, string, corev1listers.SecretLister, *corev1.PodSpec) error {
	return errNoVault
}

func (*AwsSecretManagerHandler) Read(context.Context, logr.Logger, string, string, string, string) (string, error) {
	return "", errNoVault
}

func (*AwsSecretManagerHandler) Stop() {}
