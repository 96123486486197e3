package terraform

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// Cloud is a client of e2e/rig/cloud.ts.
type Cloud struct {
	URL string
}

// fields are what the cloud says of a resource.
type fields map[string]any

// get returns nil where there is no such resource.
func (c *Cloud) get(ctx context.Context, path string) (fields, error) {
	return c.do(ctx, http.MethodGet, path, nil)
}

func (c *Cloud) do(ctx context.Context, method, path string, body fields) (fields, error) {
	sent, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, c.URL+"/"+path, bytes.NewReader(sent))
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusNotFound:
		return nil, nil
	case http.StatusOK:
		received := fields{}
		return received, json.NewDecoder(response.Body).Decode(&received)
	default:
		return nil, fmt.Errorf("cannot %s %s: the cloud answers %s", method, path, response.Status)
	}
}
