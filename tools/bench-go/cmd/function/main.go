// Command function serves one of the benchmark's jobs as a composition function, as function-sdk-go's template does.
package main

import (
	"flag"
	"log"

	"bench-go/jobs"

	function "github.com/crossplane/function-sdk-go"
)

func main() {
	address := flag.String("address", "127.0.0.1:9443", "where to listen")
	job := flag.String("job", "touch few", "which job to do")
	certs := flag.String("certs", "", "folder with tls.crt, tls.key and ca.crt; none: no TLS")
	flag.Parse()

	security := function.Insecure(true)
	if *certs != "" {
		security = function.MTLSCertificates(*certs)
	}
	// The template's options; metrics stay off, as they are for the others.
	err := function.Serve(&jobs.Function{Job: jobs.Jobs[*job]},
		function.Listen(function.DefaultNetwork, *address),
		security,
		function.MaxRecvMessageSize(64*1024*1024),
		function.WithMetricsServer(""),
	)
	log.Fatal(err)
}
