// Package azure is as much of KEDA's as other sources name: nothing of Azure is recorded.
package azure

import (
	"errors"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/go-logr/logr"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
)

const (
	ServicePrincipalAuthKey                      = "servicePrincipalAuth"
	ServicePrincipalTenantIDKey                  = "servicePrincipalTenantID"
	ServicePrincipalClientIDKey                  = "servicePrincipalClientID"
	ServicePrincipalCloudKey                     = "servicePrincipalCloud"
	ServicePrincipalActiveDirectoryEndpointKey   = "servicePrincipalActiveDirectoryEndpoint"
	ServicePrincipalClientSecretKey              = "servicePrincipalClientSecret"
	ServicePrincipalClientCertificateKey         = "servicePrincipalClientCertificate"
	ServicePrincipalClientCertificatePasswordKey = "servicePrincipalClientCertificatePassword"
)

var errNoAzure = errors.New("the recorder has no identity in Azure")

func NewChainedCredential(logr.Logger, kedav1alpha1.AuthPodIdentity) (*azidentity.ChainedTokenCredential, error) {
	return nil, errNoAzure
}

func TryAndGetAzureManagedPrometheusHTTPRoundTripper(logr.Logger, kedav1alpha1.AuthPodIdentity, map[string]string) (http.RoundTripper, error) {
	return nil, nil
}

type ADWorkloadIdentityTokenProvider struct{}

func NewAzureADWorkloadIdentityTokenProvider(any, string, string, string, string) *ADWorkloadIdentityTokenProvider {
	return &ADWorkloadIdentityTokenProvider{}
}

func (*ADWorkloadIdentityTokenProvider) Refresh() error { return errNoAzure }

func (*ADWorkloadIdentityTokenProvider) OAuthToken() string { return "" }
