// Command drain calls a function at several addresses in turns, as Crossplane's client does, until its stdin ends.
//
// It prints "calling" once each address had its share of calls, and at the end the number of calls and all failures as JSON. It uses
// grpc-go's defaults and round_robin, as Crossplane does; there is no retry policy, so a call that a server loses is a failure.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
)

const (
	method      = "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction"
	roundRobin  = `{"loadBalancingConfig":[{"round_robin":{}}]}`
	callTimeout = 30 * time.Second
)

// raw is a codec that passes bytes through.
type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*int) = data.Len()
	return nil
}

type report struct {
	Calls    int      `json:"calls"`
	Failures []string `json:"failures"`
}

func main() {
	targets := flag.String("targets", "", "addresses of the replicas, HOST:PORT,HOST:PORT")
	requestFile := flag.String("request", "", "file with an encoded RunFunctionRequest")
	concurrency := flag.Int("concurrency", 20, "calls at the same time")
	flag.Parse()
	request, err := os.ReadFile(*requestFile)
	if err != nil {
		log.Fatal(err)
	}
	conn, err := connect(strings.Split(*targets, ","))
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	if err := json.NewEncoder(os.Stdout).Encode(run(ctx, conn, request, *concurrency)); err != nil {
		log.Fatal(err)
	}
}

func connect(targets []string) (*grpc.ClientConn, error) {
	addresses := make([]resolver.Address, 0, len(targets))
	for _, target := range targets {
		addresses = append(addresses, resolver.Address{Addr: target})
	}
	replicas := manual.NewBuilderWithScheme("replicas")
	replicas.InitialState(resolver.State{Addresses: addresses})
	return grpc.NewClient("replicas:///function",
		grpc.WithResolvers(replicas),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(roundRobin),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{})))
}

// run calls until the context is done. Calls in flight are waited for.
func run(ctx context.Context, conn *grpc.ClientConn, request []byte, concurrency int) report {
	var mutex sync.Mutex
	all := report{Failures: []string{}}
	count := func(err error) {
		mutex.Lock()
		defer mutex.Unlock()
		all.Calls++
		if err != nil {
			all.Failures = append(all.Failures, err.Error())
		}
		if all.Calls == 2*concurrency {
			fmt.Println("calling")
		}
	}
	var wait sync.WaitGroup
	for range concurrency {
		wait.Go(func() {
			for ctx.Err() == nil {
				count(call(conn, request))
			}
		})
	}
	wait.Wait()
	return all
}

func call(conn *grpc.ClientConn, request []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	var size int
	return conn.Invoke(ctx, method, &request, &size)
}
