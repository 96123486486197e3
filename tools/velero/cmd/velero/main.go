// Velero as it is, and under the name velero-plugin the object store that the rig's backups lie in.
package main

import (
	"os"
	"path/filepath"

	"github.com/vmware-tanzu/velero/pkg/cmd"
	"github.com/vmware-tanzu/velero/pkg/cmd/velero"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	name := filepath.Base(os.Args[0])
	if name == "velero-plugin" {
		serveStore()
		return
	}
	// Its second metrics server has no flag: it listens on :8080, as provider-kubernetes does.
	server.DefaultBindAddress = "0"
	cmd.CheckError(velero.NewCommand(name).Execute())
}
