package main

import (
	"strconv"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/request"
	"github.com/crossplane/function-sdk-go/resource"
	"github.com/crossplane/function-sdk-go/resource/composed"
	"github.com/crossplane/function-sdk-go/response"
)

// A job is one RunFunction, written as authors of functions write theirs: get the resources with package request, change them, set
// them with package response. bench/jobs.ts says what each does.
type job func(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)

var jobs = map[string]job{"echo": echo, "touch few": touchFew, "everything": everything}

func echo(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return response.To(req, response.DefaultTTL), nil
}

// read names the observed resources that "touch few" reads; it edits the first of them.
var read = []resource.Name{"resource-000", "resource-001", "resource-002"}

func touchFew(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, response.DefaultTTL)
	xr, err := request.GetObservedCompositeResource(req)
	if err != nil {
		return nil, errors.Wrap(err, "cannot get observed composite resource")
	}
	observed, desired, err := composedResources(req)
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(read))
	for _, name := range read {
		if o, ok := observed[name]; ok {
			id, _ := o.Resource.GetString("status.atProvider.id")
			ids = append(ids, id)
		}
	}
	joined := strings.Join(ids, ",")
	if d, ok := desired[read[0]]; ok {
		if err := d.Resource.SetString("metadata.annotations[example.org/ids]", joined); err != nil {
			return nil, errors.Wrap(err, "cannot set annotation")
		}
	}
	added := composed.New()
	added.Object = map[string]any{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata":   map[string]any{"name": xr.Resource.GetName() + "-added"},
		"data":       map[string]any{"ids": joined},
	}
	desired["added"] = &resource.DesiredComposed{Resource: added, Ready: resource.ReadyTrue}
	return rsp, response.SetDesiredComposedResources(rsp, desired)
}

func everything(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, response.DefaultTTL)
	observed, desired, err := composedResources(req)
	if err != nil {
		return nil, err
	}
	for name, d := range desired {
		generation, err := observed[name].Resource.GetInteger("metadata.generation")
		if err != nil {
			return nil, errors.Wrap(err, "cannot get generation")
		}
		if err := d.Resource.SetString("metadata.annotations[example.org/generation]", strconv.FormatInt(generation, 10)); err != nil {
			return nil, errors.Wrap(err, "cannot set annotation")
		}
	}
	return rsp, response.SetDesiredComposedResources(rsp, desired)
}

func composedResources(req *fnv1.RunFunctionRequest) (
	observed map[resource.Name]resource.ObservedComposed, desired map[resource.Name]*resource.DesiredComposed, err error,
) {
	if observed, err = request.GetObservedComposedResources(req); err != nil {
		return nil, nil, errors.Wrap(err, "cannot get observed composed resources")
	}
	desired, err = request.GetDesiredComposedResources(req)
	return observed, desired, errors.Wrap(err, "cannot get desired composed resources")
}
