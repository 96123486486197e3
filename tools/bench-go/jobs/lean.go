package jobs

import (
	"sort"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"
	"google.golang.org/protobuf/types/known/structpb"
)

// The jobs of a Go author who never calls the SDK's helpers for all resources, but works on protobuf's own messages, which are
// decoded and encoded all the same.

func field(s *structpb.Struct, path ...string) *structpb.Value {
	v := structpb.NewStructValue(s)
	for _, step := range path {
		v = v.GetStructValue().GetFields()[step]
	}
	return v
}

func touchFewLean(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, response.DefaultTTL)
	ids := make([]string, 0, len(read))
	for _, name := range read {
		if o, ok := req.GetObserved().GetResources()[string(name)]; ok {
			ids = append(ids, field(o.GetResource(), "status", "atProvider", "id").GetStringValue())
		}
	}
	joined := strings.Join(ids, ",")
	if rsp.Desired.Resources == nil {
		rsp.Desired.Resources = map[string]*fnv1.Resource{}
	}
	if d, ok := rsp.GetDesired().GetResources()[string(read[0])]; ok {
		annotations := field(d.GetResource(), "metadata", "annotations").GetStructValue().GetFields()
		annotations["example.org/ids"] = structpb.NewStringValue(joined)
	}
	xr := field(req.GetObserved().GetComposite().GetResource(), "metadata", "name").GetStringValue()
	added, err := structpb.NewStruct(addedObject(xr, joined))
	if err != nil {
		return nil, err
	}
	rsp.Desired.Resources["added"] = &fnv1.Resource{Resource: added, Ready: fnv1.Ready_READY_TRUE}
	return rsp, nil
}

func lookUpLean(req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, response.DefaultTTL)
	observed := req.GetObserved().GetResources()
	names := make([]string, 0, len(observed))
	for name := range observed {
		names = append(names, name)
	}
	sort.Strings(names)
	ids := make([]string, 0, len(names))
	for _, name := range names {
		ids = append(ids, field(observed[name].GetResource(), "status", "atProvider", "id").GetStringValue())
	}
	response.SetContextKey(rsp, "example.org/ids", structpb.NewStringValue(strings.Join(ids, ",")))
	return rsp, nil
}
