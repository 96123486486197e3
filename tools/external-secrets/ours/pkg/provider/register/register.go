// Package register registers the stores that the scenarios use: all of them together bring in every cloud's client.
package register

import (
	_ "github.com/external-secrets/external-secrets/pkg/provider/kubernetes" // in another namespace
	_ "github.com/external-secrets/external-secrets/pkg/provider/vault"      // in OpenBao
)
