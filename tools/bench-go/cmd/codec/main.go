// Command codec runs the benchmark's jobs on encoded requests, without a network: decode, do the job, encode. Each order
// is a line of JSON, as bench/sections/codec.ts writes it.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
	"syscall"
	"time"

	"bench-go/jobs"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
)

type order struct {
	Job          string  `json:"job"`
	Request      string  `json:"request"`
	Milliseconds float64 `json:"milliseconds"`
	Response     string  `json:"response"`
}

// answer is the duration of one run in microseconds: the means of batches.
type answer struct {
	Wall []float64 `json:"wall"`
	CPU  []float64 `json:"cpu"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var o order
		if err := json.Unmarshal(in.Bytes(), &o); err != nil {
			log.Fatal(err)
		}
		a, err := obey(o)
		if err != nil {
			log.Fatal(err)
		}
		if err := out.Encode(a); err != nil {
			log.Fatal(err)
		}
	}
}

func obey(o order) (answer, error) {
	message, err := os.ReadFile(o.Request)
	if err != nil {
		return answer{}, err
	}
	response, err := run(o.Job, message)
	if err != nil {
		return answer{}, err
	}
	if o.Response != "" {
		return answer{}, os.WriteFile(o.Response, response, 0o600)
	}
	measure(o, message, o.Milliseconds/2, 1) // warm
	return measure(o, message, o.Milliseconds, 3), nil
}

func run(job string, message []byte) ([]byte, error) {
	req := &fnv1.RunFunctionRequest{}
	if err := proto.Unmarshal(message, req); err != nil {
		return nil, err
	}
	rsp, err := jobs.Jobs[job](req)
	if err != nil {
		return nil, err
	}
	return proto.Marshal(rsp)
}

// batch is the shortest duration of a batch.
const batch = 5 * time.Millisecond

func measure(o order, message []byte, milliseconds float64, atLeast int) answer {
	var a answer
	end := time.Now().Add(time.Duration(milliseconds * float64(time.Millisecond)))
	for time.Now().Before(end) || len(a.Wall) < atLeast {
		start, used := time.Now(), cpuTime()
		runs := 0
		for time.Since(start) < batch {
			if _, err := run(o.Job, message); err != nil {
				log.Fatal(err)
			}
			runs++
		}
		a.Wall = append(a.Wall, float64(time.Since(start).Nanoseconds())/1000/float64(runs))
		a.CPU = append(a.CPU, float64((cpuTime()-used).Nanoseconds())/1000/float64(runs))
	}
	return a
}

// cpuTime returns the processor time of this process so far, including the threads of its garbage collector.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
