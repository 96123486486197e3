// Package register registers no generators: some of them bring in a cloud's client, too.
package register
