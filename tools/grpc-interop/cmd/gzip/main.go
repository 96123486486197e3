// Command gzip runs grpc-go's own interop cases with every request compressed: the interop client has no flag for it.
//
// It ends with another code than 0 at the first case that fails; the cases say on stderr what they found.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/interop"
	testgrpc "google.golang.org/grpc/interop/grpc_testing"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: gzip HOST:PORT")
	}
	conn, err := grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatalf("cannot make a client for %s: %v", os.Args[1], err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()

	client := testgrpc.NewTestServiceClient(conn)
	compressed := grpc.UseCompressor(gzip.Name)
	interop.DoEmptyUnaryCall(ctx, client, compressed)
	interop.DoLargeUnaryCall(ctx, client, compressed)
	interop.DoStatusCodeAndMessage(ctx, client, compressed)
	interop.DoCustomMetadata(ctx, client, compressed)
}
