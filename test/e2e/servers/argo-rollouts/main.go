// The Rollout controller of Argo Rollouts, as its cmd/rollouts-controller runs it, without the controllers of
// analyses, experiments, services, ingresses and notifications. Arguments: a kubeconfig, and the port on which it
// answers once it works.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"time"

	smiclientset "github.com/servicemeshinterface/smi-sdk-go/pkg/gen/client/split/clientset/versioned"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	kubeinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"

	"github.com/argoproj/argo-rollouts/controller/metrics"
	"github.com/argoproj/argo-rollouts/pkg/apis/rollouts/v1alpha1"
	clientset "github.com/argoproj/argo-rollouts/pkg/client/clientset/versioned"
	"github.com/argoproj/argo-rollouts/rollout"
	ingressutil "github.com/argoproj/argo-rollouts/utils/ingress"
	istioutil "github.com/argoproj/argo-rollouts/utils/istio"
	"github.com/argoproj/argo-rollouts/utils/queue"
	"github.com/argoproj/argo-rollouts/utils/record"
	"github.com/argoproj/argo-rollouts/utils/tolerantinformer"
)

const resync = 15 * time.Minute

// noReferences: each Rollout has its own template.
type noReferences struct{}

func (noReferences) Resolve(*v1alpha1.Rollout) error { return nil }

func queueNamed(name string) workqueue.RateLimitingInterface {
	return workqueue.NewNamedRateLimitingQueue(queue.DefaultArgoRolloutsRateLimiter(), name)
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	config := must(clientcmd.BuildConfigFromFlags("", os.Args[1]))
	config.QPS, config.Burst = 1000, 2000
	kube := must(kubernetes.NewForConfig(config))
	dynamics := must(dynamic.NewForConfig(config))
	ctx := context.Background()

	rolloutsOnly := func(options *metav1.ListOptions) { options.LabelSelector = v1alpha1.DefaultRolloutUniqueLabelKey }
	kubeInformers := kubeinformers.NewSharedInformerFactory(kube, resync)
	setInformers := kubeinformers.NewSharedInformerFactoryWithOptions(kube, resync, kubeinformers.WithTweakListOptions(rolloutsOnly))
	argoInformers := dynamicinformer.NewDynamicSharedInformerFactory(dynamics, resync)
	istioInformers := dynamicinformer.NewDynamicSharedInformerFactory(dynamics, resync)

	rollouts := tolerantinformer.NewTolerantRolloutInformer(argoInformers)
	runs := tolerantinformer.NewTolerantAnalysisRunInformer(argoInformers)
	templates := tolerantinformer.NewTolerantAnalysisTemplateInformer(argoInformers)
	clusterTemplates := tolerantinformer.NewTolerantClusterAnalysisTemplateInformer(argoInformers)
	experiments := tolerantinformer.NewTolerantExperimentInformer(argoInformers)
	sets := setInformers.Apps().V1().ReplicaSets()

	controller := rollout.NewController(rollout.ControllerConfig{
		Namespace:                       metav1.NamespaceAll,
		KubeClientSet:                   kube,
		ArgoProjClientset:               must(clientset.NewForConfig(config)),
		DynamicClientSet:                dynamics,
		RefResolver:                     noReferences{},
		SmiClientSet:                    must(smiclientset.NewForConfig(config)),
		ExperimentInformer:              experiments,
		AnalysisRunInformer:             runs,
		AnalysisTemplateInformer:        templates,
		ClusterAnalysisTemplateInformer: clusterTemplates,
		IstioPrimaryDynamicClient:       dynamics,
		IstioVirtualServiceInformer:     istioInformers.ForResource(istioutil.GetIstioVirtualServiceGVR()).Informer(),
		IstioDestinationRuleInformer:    istioInformers.ForResource(istioutil.GetIstioDestinationRuleGVR()).Informer(),
		ReplicaSetInformer:              sets,
		ServicesInformer:                kubeInformers.Core().V1().Services(),
		IngressWrapper:                  must(ingressutil.NewIngressWrapper(ingressutil.IngressModeNetworking, kube, kubeInformers)),
		RolloutsInformer:                rollouts,
		ResyncPeriod:                    resync,
		RolloutWorkQueue:                queueNamed("Rollouts"),
		ServiceWorkQueue:                queueNamed("Services"),
		IngressWorkQueue:                queueNamed("Ingresses"),
		MetricsServer: metrics.NewMetricsServer(metrics.ServerConfig{
			RolloutLister:                 rollouts.Lister(),
			AnalysisRunLister:             runs.Lister(),
			AnalysisTemplateLister:        templates.Lister(),
			ClusterAnalysisTemplateLister: clusterTemplates.Lister(),
			ExperimentLister:              experiments.Lister(),
			K8SRequestProvider:            &metrics.K8sRequestsCountProvider{},
		}),
		Recorder:                    record.Silent{},
		EphemeralMetadataThreads:    10,
		EphemeralMetadataPodRetries: 3,
	})

	kubeInformers.Start(ctx.Done())
	setInformers.Start(ctx.Done())
	argoInformers.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), rollouts.Informer().HasSynced, runs.Informer().HasSynced,
		templates.Informer().HasSynced, clusterTemplates.Informer().HasSynced, experiments.Informer().HasSynced,
		sets.Informer().HasSynced)
	go http.ListenAndServe("127.0.0.1:"+os.Args[2], http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if err := controller.Run(ctx, 10); err != nil {
		log.Fatal(err)
	}
}
