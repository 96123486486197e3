// Command load calls a function over one connection, as Crossplane does, and prints the duration of calls.
//
// It uses grpc-go with its defaults, as Crossplane does. Messages stay bytes, so that its own codec costs nothing and is the
// same for every server that it measures.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"log"
	"net"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
)

const method = "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction"

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

var _ encoding.CodecV2 = raw{}

type report struct {
	Calls         int     `json:"calls"`
	P50           float64 `json:"p50"` // milliseconds
	P99           float64 `json:"p99"`
	Min           float64 `json:"min"`
	Seconds       float64 `json:"seconds"`
	PerSecond     float64 `json:"perSecond"`
	ResponseBytes int     `json:"responseBytes"`
}

func main() {
	target := flag.String("target", "", "host:port of the function")
	requestFile := flag.String("request", "", "file with an encoded RunFunctionRequest")
	concurrency := flag.Int("concurrency", 1, "calls at the same time")
	warm := flag.Duration("warm", 500*time.Millisecond, "how long to call before it counts")
	duration := flag.Duration("duration", time.Second, "how long to call; every caller finishes at least one call")
	calls := flag.Int("calls", 0, "how many calls; 0: as many as there is time for")
	delay := flag.Duration("delay", 0, "round-trip time that a proxy in between adds")
	certs := flag.String("certs", "", "folder with tls.crt, tls.key and ca.crt, of the client and for the function; none: no TLS")
	flag.Parse()

	request, err := os.ReadFile(*requestFile)
	if err != nil {
		log.Fatal(err)
	}
	waitFor(*target)
	address := *target
	if *delay > 0 {
		address = startProxy(*target, *delay/2)
	}
	conn, err := grpc.NewClient("passthrough:///"+address,
		grpc.WithTransportCredentials(credentialsFrom(*certs)),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{}), grpc.WaitForReady(true)))
	if err != nil {
		log.Fatal(err)
	}
	if *warm > 0 {
		run(conn, request, *concurrency, *warm, 0)
	}
	if err := json.NewEncoder(os.Stdout).Encode(run(conn, request, *concurrency, *duration, *calls)); err != nil {
		log.Fatal(err)
	}
}

func credentialsFrom(folder string) credentials.TransportCredentials {
	if folder == "" {
		return insecure.NewCredentials()
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key"))
	if err != nil {
		log.Fatal(err)
	}
	authority, err := os.ReadFile(filepath.Join(folder, "ca.crt"))
	if err != nil {
		log.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	return credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{pair}, RootCAs: roots, ServerName: "localhost", MinVersion: tls.VersionTLS13,
	})
}

// waitFor returns once a server listens: grpc-go itself would wait for a second between two tries.
func waitFor(target string) {
	for {
		conn, err := net.Dial("tcp", target)
		if err == nil {
			_ = conn.Close()
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func run(conn *grpc.ClientConn, request []byte, concurrency int, duration time.Duration, calls int) report {
	var wait sync.WaitGroup
	var taken atomic.Int64
	var bytes atomic.Int64
	latencies := make([][]float64, concurrency)
	start := time.Now()
	isOver := func() bool {
		if calls > 0 {
			return taken.Add(1) > int64(calls)
		}
		return time.Since(start) > duration
	}
	for worker := range concurrency {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for isFirst := true; isFirst && calls == 0 || !isOver(); isFirst = false {
				var size int
				begin := time.Now()
				if err := conn.Invoke(context.Background(), method, &request, &size); err != nil {
					log.Fatal(err)
				}
				latencies[worker] = append(latencies[worker], float64(time.Since(begin).Nanoseconds())/1e6)
				bytes.Store(int64(size))
			}
		}()
	}
	wait.Wait()
	return summarise(latencies, time.Since(start).Seconds(), int(bytes.Load()))
}

func summarise(latencies [][]float64, seconds float64, bytes int) report {
	var all []float64
	for _, l := range latencies {
		all = append(all, l...)
	}
	sort.Float64s(all)
	at := func(q float64) float64 { return all[int(q*float64(len(all)-1))] }
	return report{
		Calls: len(all), P50: at(0.5), P99: at(0.99), Min: all[0],
		Seconds: seconds, PerSecond: float64(len(all)) / seconds, ResponseBytes: bytes,
	}
}
