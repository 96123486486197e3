// Command redis serves enough of Redis for Argo CD, in memory.
package main

import (
	"log"
	"os"

	"github.com/alicebob/miniredis/v2"
)

func main() {
	if err := miniredis.NewMiniRedis().StartAddr(os.Args[1]); err != nil {
		log.Fatal(err)
	}
	select {}
}
