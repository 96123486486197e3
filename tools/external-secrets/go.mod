module example.org/tools/external-secrets

go 1.26.0

tool github.com/external-secrets/external-secrets

require github.com/external-secrets/external-secrets v0.20.4
