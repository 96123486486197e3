// Package jobs holds the benchmark's jobs as functions over function-sdk-go, written as its authors write theirs: get the
// resources with package request, change them, set them with package response.
package jobs

import (
	"context"
	"sort"
	"strconv"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/request"
	"github.com/crossplane/function-sdk-go/resource"
	"github.com/crossplane/function-sdk-go/resource/composed"
	"github.com/crossplane/function-sdk-go/response"
	"google.golang.org/protobuf/types/known/structpb"
)

// A Job is one RunFunction.
type Job func(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)

// Jobs by name. Those that end in -lean do without the SDK's helpers where these convert more than the job needs.
var Jobs = map[string]Job{
	"echo":           echo,
	"touch few":      touchFew,
	"look up":        lookUp,
	"everything":     everything,
	"tag all":        tagAll,
	"select":         selectIntoContext,
	"touch few lean": touchFewLean,
	"look up lean":   lookUpLean,
}

// A Function runs one job for each call.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	Job Job
}

// RunFunction runs the job.
func (f *Function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return f.Job(req)
}

func echo(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return response.To(req, response.DefaultTTL), nil
}

// read names the three observed resources that "touch few" reads; it edits the first of them.
var read = []resource.Name{"resource-000", "resource-001", "resource-002"}

func touchFew(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, response.DefaultTTL)
	xr, err := request.GetObservedCompositeResource(req)
	if err != nil {
		return nil, errors.Wrap(err, "cannot get observed composite resource")
	}
	observed, err := request.GetObservedComposedResources(req)
	if err != nil {
		return nil, errors.Wrap(err, "cannot get observed composed resources")
	}
	desired, err := request.GetDesiredComposedResources(req)
	if err != nil {
		return nil, errors.Wrap(err, "cannot get desired composed resources")
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
	added.Object = addedObject(xr.Resource.GetName(), joined)
	desired["added"] = &resource.DesiredComposed{Resource: added, Ready: resource.ReadyTrue}
	if err := response.SetDesiredComposedResources(rsp, desired); err != nil {
		return nil, errors.Wrap(err, "cannot set desired composed resources")
	}
	return rsp, nil
}

func addedObject(xr, ids string) map[string]any {
	return map[string]any{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata":   map[string]any{"name": xr + "-added"},
		"data":       map[string]any{"ids": ids},
	}
}

func lookUp(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, response.DefaultTTL)
	observed, err := request.GetObservedComposedResources(req)
	if err != nil {
		return nil, errors.Wrap(err, "cannot get observed composed resources")
	}
	names := make([]string, 0, len(observed))
	for name := range observed {
		names = append(names, string(name))
	}
	sort.Strings(names)
	ids := make([]string, 0, len(names))
	for _, name := range names {
		id, _ := observed[resource.Name(name)].Resource.GetString("status.atProvider.id")
		ids = append(ids, id)
	}
	response.SetContextKey(rsp, "example.org/ids", structpb.NewStringValue(strings.Join(ids, ",")))
	return rsp, nil
}

func everything(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, response.DefaultTTL)
	observed, err := request.GetObservedComposedResources(req)
	if err != nil {
		return nil, errors.Wrap(err, "cannot get observed composed resources")
	}
	desired, err := request.GetDesiredComposedResources(req)
	if err != nil {
		return nil, errors.Wrap(err, "cannot get desired composed resources")
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
	if err := response.SetDesiredComposedResources(rsp, desired); err != nil {
		return nil, errors.Wrap(err, "cannot set desired composed resources")
	}
	return rsp, nil
}

func tagAll(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, response.DefaultTTL)
	xr, err := request.GetObservedCompositeResource(req)
	if err != nil {
		return nil, errors.Wrap(err, "cannot get observed composite resource")
	}
	costCenter := xr.Resource.GetLabels()["cost-center"]
	desired, err := request.GetDesiredComposedResources(req)
	if err != nil {
		return nil, errors.Wrap(err, "cannot get desired composed resources")
	}
	for _, d := range desired {
		if err := d.Resource.SetString("spec.forProvider.tags.cost-center", costCenter); err != nil {
			return nil, errors.Wrap(err, "cannot set tag")
		}
	}
	if err := response.SetDesiredComposedResources(rsp, desired); err != nil {
		return nil, errors.Wrap(err, "cannot set desired composed resources")
	}
	return rsp, nil
}

func selectIntoContext(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, response.DefaultTTL)
	required, err := request.GetRequiredResources(req)
	if err != nil {
		return nil, errors.Wrap(err, "cannot get required resources")
	}
	items := make([]any, 0, len(required["shared"]))
	for _, r := range required["shared"] {
		items = append(items, r.Resource.UnstructuredContent())
	}
	list, err := structpb.NewList(items)
	if err != nil {
		return nil, errors.Wrap(err, "cannot convert resources")
	}
	response.SetContextKey(rsp, "example.org/shared", structpb.NewListValue(list))
	return rsp, nil
}
