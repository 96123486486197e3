// Command bench-go is the Go side of the benchmark: a composition function, its jobs without a network, and the client of all servers.
package main

import (
	"context"
	"flag"
	"log"
	"os"

	function "github.com/crossplane/function-sdk-go"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

func main() {
	commands := map[string]func(args []string) error{"codec": runCodec, "function": runFunction, "load": runLoad}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		log.Fatal("usage: bench-go codec|function|load [flags]")
	}
	if err := commands[os.Args[1]](os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

type runner struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
}

func (runner) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return touchFew(req)
}

// runFunction serves "touch few" as function-sdk-go's template does. Metrics stay off, as they are for the others.
func runFunction(args []string) error {
	flags := flag.NewFlagSet("function", flag.ExitOnError)
	address := flags.String("address", "", "where to listen")
	_ = flags.Parse(args)
	return function.Serve(runner{},
		function.Listen(function.DefaultNetwork, *address),
		function.Insecure(true),
		function.MaxRecvMessageSize(64*1024*1024),
		function.WithMetricsServer(""),
	)
}
