package main

import (
	"io"
	"log"
	"net"
	"time"
)

// startProxy forwards connections to target, and delays the bytes of each direction in order. The number of bytes on the way is
// not limited: it adds latency and takes no bandwidth.
func startProxy(target string, delay time.Duration) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", target)
			if err != nil {
				log.Fatal(err)
			}
			go forward(client, server, delay)
			go forward(server, client, delay)
		}
	}()
	return listener.Addr().String()
}

type chunk struct {
	bytes []byte
	due   time.Time
}

func forward(from io.Reader, to io.Writer, delay time.Duration) {
	chunks := make(chan chunk, 65536)
	go func() {
		for c := range chunks {
			time.Sleep(time.Until(c.due))
			if _, err := to.Write(c.bytes); err != nil {
				return
			}
		}
	}()
	for {
		buffer := make([]byte, 64*1024)
		n, err := from.Read(buffer)
		if n > 0 {
			chunks <- chunk{bytes: buffer[:n], due: time.Now().Add(delay)}
		}
		if err != nil {
			close(chunks)
			return
		}
	}
}
