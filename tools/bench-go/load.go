package main

import (
	"context"
	"encoding/json"
	"flag"
	"net"
	"os"
	"sort"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
)

// raw is a codec that passes bytes through: no codec of the client's own is timed.
type raw struct{}

var _ encoding.CodecV2 = raw{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (raw) Unmarshal(mem.BufferSlice, any) error { return nil }

// A load is what was measured; times are in milliseconds.
type load struct {
	P50       float64 `json:"p50"`
	P99       float64 `json:"p99"`
	PerSecond float64 `json:"perSecond"`
}

// runLoad calls a function over one connection with grpc-go's defaults, as Crossplane does, and prints the duration of calls.
func runLoad(args []string) error {
	flags := flag.NewFlagSet("load", flag.ExitOnError)
	target := flags.String("target", "", "host:port of the function")
	requestFile := flags.String("request", "", "file with an encoded RunFunctionRequest")
	concurrency := flags.Int("concurrency", 1, "calls at the same time")
	warm := flags.Duration("warm", 0, "how long to call before it counts")
	duration := flags.Duration("duration", 0, "how long to call; every caller finishes at least one call")
	calls := flags.Int64("calls", 0, "how many calls; 0: as many as there is time for")
	_ = flags.Parse(args)

	request, err := os.ReadFile(*requestFile)
	if err != nil {
		return err
	}
	waitFor(*target)
	conn, err := grpc.NewClient("passthrough:///"+*target,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{}), grpc.WaitForReady(true)))
	if err != nil {
		return err
	}
	if _, err := callMany(conn, request, *concurrency, *warm, 0); err != nil {
		return err
	}
	measured, err := callMany(conn, request, *concurrency, *duration, *calls)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(measured)
}

// waitFor returns once a server listens: grpc-go itself would wait for a second between two tries.
func waitFor(target string) {
	for {
		if conn, err := net.Dial("tcp", target); err == nil {
			_ = conn.Close()
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func callMany(conn *grpc.ClientConn, request []byte, concurrency int, duration time.Duration, calls int64) (load, error) {
	var taken atomic.Int64
	start := time.Now()
	isOver := func(own int) bool {
		if calls > 0 {
			return taken.Add(1) > calls
		}
		return own > 0 && time.Since(start) > duration
	}
	type result struct {
		milliseconds []float64
		err          error
	}
	results := make(chan result)
	for range concurrency {
		go func() {
			var r result
			for r.err == nil && !isOver(len(r.milliseconds)) {
				begin := time.Now()
				r.err = conn.Invoke(context.Background(), "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction", &request, nil)
				r.milliseconds = append(r.milliseconds, float64(time.Since(begin).Nanoseconds())/1e6)
			}
			results <- r
		}()
	}
	var all []float64
	var err error
	for range concurrency {
		r := <-results
		all = append(all, r.milliseconds...)
		if r.err != nil {
			err = r.err
		}
	}
	sort.Float64s(all)
	at := func(q float64) float64 { return all[int(q*float64(len(all)-1))] }
	return load{P50: at(0.5), P99: at(0.99), PerSecond: float64(len(all)) / time.Since(start).Seconds()}, err
}
