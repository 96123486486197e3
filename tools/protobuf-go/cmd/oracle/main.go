// Command oracle reads RunFunctionRequests and RunFunctionResponses with protobuf-go, which is what Crossplane reads and
// writes them with, in answer to one line each.
//
// A line is the kind of message and its bytes in base64; the answer is a line of JSON: the message, or {"refused": why}.
// Numbers go as their eight bytes, since JSON knows neither NaN nor -0, and maps as lists of pairs, sorted as JavaScript
// sorts their keys.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"log"
	"math"
	"os"
	"slices"
	"strings"
	"unicode/utf16"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

type object map[string]any

func main() {
	lines := bufio.NewReader(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		kind, encoded, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		message, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			log.Fatalf("cannot read a line: %v", err)
		}
		if err := answers.Encode(answer(kind, message)); err != nil {
			log.Fatalf("cannot answer: %v", err)
		}
	}
}

func answer(kind string, message []byte) object {
	switch kind {
	case "request":
		request := &fnv1.RunFunctionRequest{}
		if err := proto.Unmarshal(message, request); err != nil {
			return object{"refused": err.Error()}
		}
		return plainRequest(request)
	case "response":
		response := &fnv1.RunFunctionResponse{}
		if err := proto.Unmarshal(message, response); err != nil {
			return object{"refused": err.Error()}
		}
		return plainResponse(response)
	default:
		log.Fatalf("cannot read a %s: a message is a request or a response", kind)
		return nil
	}
}

func plainRequest(request *fnv1.RunFunctionRequest) object {
	return object{
		"tag":          request.GetMeta().GetTag(),
		"capabilities": append([]fnv1.Capability{}, request.GetMeta().GetCapabilities()...),
		"observed":     state(request.GetObserved()),
		"desired":      state(request.GetDesired()),
		"input":        fields(request.GetInput()),
		"context":      optional(request.GetContext()),
		"extra":        pairs(request.GetExtraResources(), items),
		"required":     pairs(request.GetRequiredResources(), items),
		"schemas": pairs(request.GetRequiredSchemas(), func(schema *fnv1.Schema) any {
			return optional(schema.GetOpenapiV3())
		}),
	}
}

func plainResponse(response *fnv1.RunFunctionResponse) object {
	return object{
		"tag":     response.GetMeta().GetTag(),
		"desired": state(response.GetDesired()),
		"context": optional(response.GetContext()),
	}
}

func state(it *fnv1.State) object {
	return object{"composite": resource(it.GetComposite()), "resources": pairs(it.GetResources(), resource)}
}

func resource(it *fnv1.Resource) any {
	return object{
		"object":  fields(it.GetResource()),
		"ready":   it.GetReady(),
		"details": pairs(it.GetConnectionDetails(), func(detail []byte) any { return base64.StdEncoding.EncodeToString(detail) }),
	}
}

func items(it *fnv1.Resources) any {
	all := []any{}
	for _, item := range it.GetItems() {
		all = append(all, fields(item.GetResource()))
	}
	return all
}

// optional is nil where there is no Struct, which is another thing than an empty one.
func optional(it *structpb.Struct) any {
	if it == nil {
		return nil
	}
	return fields(it)
}

func fields(it *structpb.Struct) [][2]any {
	return pairs(it.GetFields(), value)
}

func value(it *structpb.Value) any {
	switch kind := it.GetKind().(type) {
	case *structpb.Value_NumberValue:
		return object{"number": number(kind.NumberValue)}
	case *structpb.Value_StringValue:
		return kind.StringValue
	case *structpb.Value_BoolValue:
		return kind.BoolValue
	case *structpb.Value_StructValue:
		return object{"object": fields(kind.StructValue)}
	case *structpb.Value_ListValue:
		list := []any{}
		for _, item := range kind.ListValue.GetValues() {
			list = append(list, value(item))
		}
		return object{"list": list}
	default:
		return nil
	}
}

// number does not tell the many encodings of what is no number from one another: it does not matter which.
func number(it float64) string {
	if math.IsNaN(it) {
		return "NaN"
	}
	return hex.EncodeToString(binary.LittleEndian.AppendUint64(nil, math.Float64bits(it)))
}

func pairs[V any](entries map[string]V, plain func(V) any) [][2]any {
	keys := make([]string, 0, len(entries))
	for key := range entries {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
	})
	all := [][2]any{}
	for _, key := range keys {
		all = append(all, [2]any{key, plain(entries[key])})
	}
	return all
}
