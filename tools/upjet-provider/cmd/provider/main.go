// Command provider is a Crossplane provider that upjet generated, with its runtime.
package main

import (
	"context"
	"flag"
	"log"
	"time"

	xpcontroller "github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/ratelimiter"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	"github.com/crossplane/upjet/v2/pkg/controller"
	upjet "github.com/crossplane/upjet/v2/pkg/terraform"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/crossplane/upjet/v2/pkg/config"

	clusterapis "upjet-provider/apis/cluster"
	namespacedapis "upjet-provider/apis/namespaced"
	rig "upjet-provider/config"
	cluster "upjet-provider/internal/controller/cluster"
	namespaced "upjet-provider/internal/controller/namespaced"
	"upjet-provider/internal/features"
	"upjet-provider/terraform"
)

const maxReconcileRate = 10

func main() {
	cloud := flag.String("cloud", "", "URL of the cloud")
	poll := flag.Duration("poll", time.Minute, "how often what exists is observed")
	metrics := flag.String("metrics-bind-address", "0", "where metrics are served; 0: nowhere")
	probe := flag.String("health-probe-bind-address", "0", "where /readyz is served; 0: nowhere")
	flag.Parse()

	zapped := zap.New()
	ctrl.SetLogger(zapped)
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Metrics:                server.Options{BindAddress: *metrics},
		HealthProbeBindAddress: *probe,
	})
	fail(err)
	fail(clusterapis.AddToScheme(manager.GetScheme()))
	fail(namespacedapis.AddToScheme(manager.GetScheme()))

	logger := logging.NewLogrLogger(zapped.WithName("upjet-provider"))
	flags := &feature.Flags{}
	flags.Enable(features.EnableBetaManagementPolicies)
	optionsOf := func(provider *config.Provider) controller.Options {
		return controller.Options{
			Options: xpcontroller.Options{
				Logger:                  logger,
				GlobalRateLimiter:       ratelimiter.NewGlobal(maxReconcileRate),
				PollInterval:            *poll,
				MaxConcurrentReconciles: maxReconcileRate,
				Features:                flags,
			},
			Provider:              provider,
			OperationTrackerStore: controller.NewOperationStore(logger),
			SetupFn: func(context.Context, client.Client, resource.Managed) (upjet.Setup, error) {
				return upjet.Setup{Meta: &terraform.Cloud{URL: *cloud}}, nil
			},
		}
	}
	fail(cluster.Setup(manager, optionsOf(rig.Provider())))
	fail(namespaced.Setup(manager, optionsOf(rig.ProviderNamespaced())))
	fail(manager.AddReadyzCheck("ping", healthz.Ping))
	fail(manager.Start(ctrl.SetupSignalHandler()))
}

func fail(err error) {
	if err != nil {
		log.Fatalln(err)
	}
}
