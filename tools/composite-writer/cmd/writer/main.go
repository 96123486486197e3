// Writer is a composition function that changes nothing, and writes the desired XR and the desired composed resources anew with
// function-sdk-go's helpers, as function-patch-and-transform, function-go-templating and most other functions do.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/crossplane/function-sdk-go"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/request"
	"github.com/crossplane/function-sdk-go/response"
)

type writer struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
}

func (writer) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, response.DefaultTTL)
	xr, err := request.GetDesiredCompositeResource(req)
	if err != nil {
		response.Fatal(rsp, err)
		return rsp, nil
	}
	composed, err := request.GetDesiredComposedResources(req)
	if err != nil {
		response.Fatal(rsp, err)
		return rsp, nil
	}
	if err := response.SetDesiredCompositeResource(rsp, xr); err != nil {
		response.Fatal(rsp, err)
		return rsp, nil
	}
	if err := response.SetDesiredComposedResources(rsp, composed); err != nil {
		response.Fatal(rsp, err)
	}
	return rsp, nil
}

func main() {
	address := flag.String("address", ":9443", "where to listen")
	insecure := flag.Bool("insecure", false, "without TLS")
	flag.Parse()
	if err := function.Serve(writer{}, function.Listen("tcp", *address), function.Insecure(*insecure)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
