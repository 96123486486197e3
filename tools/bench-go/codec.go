package main

import (
	"bufio"
	"encoding/json"
	"os"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
)

// An order is a line of JSON on standard input, as bench/sections/codec.ts writes it.
type order struct {
	Job          string  `json:"job"`
	Request      string  `json:"request"`
	Milliseconds float64 `json:"milliseconds"`
	Response     string  `json:"response"`
}

// runCodec runs jobs on encoded requests: decode, do the job, encode. Each order is answered by the duration of one run in
// microseconds, the means of batches, in one line.
func runCodec([]string) error {
	in, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for in.Scan() {
		var o order
		if err := json.Unmarshal(in.Bytes(), &o); err != nil {
			return err
		}
		durations, err := obey(o)
		if err != nil {
			return err
		}
		if err := out.Encode(durations); err != nil {
			return err
		}
	}
	return in.Err()
}

func obey(o order) ([]float64, error) {
	message, err := os.ReadFile(o.Request)
	if err != nil {
		return nil, err
	}
	if o.Response != "" {
		answer, err := runJob(o.Job, message)
		if err != nil {
			return nil, err
		}
		return []float64{}, os.WriteFile(o.Response, answer, 0o600)
	}
	if _, err := measure(o.Job, message, o.Milliseconds/2, 1); err != nil { // warms up
		return nil, err
	}
	return measure(o.Job, message, o.Milliseconds, 3)
}

func runJob(name string, message []byte) ([]byte, error) {
	req := &fnv1.RunFunctionRequest{}
	if err := proto.Unmarshal(message, req); err != nil {
		return nil, err
	}
	rsp, err := jobs[name](req)
	if err != nil {
		return nil, err
	}
	return proto.Marshal(rsp)
}

// batch is the shortest duration of a batch.
const batch = 5 * time.Millisecond

func measure(name string, message []byte, milliseconds float64, atLeast int) (means []float64, err error) {
	end := time.Now().Add(time.Duration(milliseconds * float64(time.Millisecond)))
	for time.Now().Before(end) || len(means) < atLeast {
		start, runs := time.Now(), 0
		for ; time.Since(start) < batch; runs++ {
			if _, err := runJob(name, message); err != nil {
				return nil, err
			}
		}
		means = append(means, float64(time.Since(start).Nanoseconds())/1000/float64(runs))
	}
	return means, nil
}
