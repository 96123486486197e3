// Command generate writes what upjet generates: types, controllers and CRDs. Run it in the folder of the module:
//
//	go run ./cmd/generate
package main

import (
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/crossplane/upjet/v2/pkg/pipeline"

	"upjet-provider/config"
)

func main() {
	root, err := os.Getwd()
	fail(err)
	fail(withTools("goimports", "controller-gen", "angryjet"))
	for _, generated := range []string{"apis", "internal/controller", "crds"} {
		fail(os.RemoveAll(filepath.Join(root, generated)))
	}
	pipeline.Run(config.Provider(), config.ProviderNamespaced(), root)
	fail(os.RemoveAll(filepath.Join(root, "examples-generated")))
	run("controller-gen", "object:headerFile=hack/boilerplate.go.txt", "paths=./apis/...",
		"crd:allowDangerousTypes=true,crdVersions=v1", "output:artifacts:config=crds")
	run("angryjet", "generate-methodsets", "--header-file=hack/boilerplate.go.txt", "./apis/...")
}

// withTools builds the tools of go.mod, and puts them where they are found: upjet calls goimports by its name.
func withTools(names ...string) error {
	bin, err := os.MkdirTemp("", "upjet-tools-")
	if err != nil {
		return err
	}
	packages := map[string]string{
		"goimports":      "golang.org/x/tools/cmd/goimports",
		"controller-gen": "sigs.k8s.io/controller-tools/cmd/controller-gen",
		"angryjet":       "github.com/crossplane/crossplane-tools/cmd/angryjet",
	}
	for _, name := range names {
		run("go", "build", "-o", filepath.Join(bin, name), packages[name])
	}
	return os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func run(command string, args ...string) {
	child := exec.Command(command, args...)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	fail(child.Run())
}

func fail(err error) {
	if err != nil {
		log.Fatalln(err)
	}
}
