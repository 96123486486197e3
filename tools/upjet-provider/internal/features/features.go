// Package features names the feature gates that upjet's templates ask for.
package features

import "github.com/crossplane/crossplane-runtime/v2/pkg/feature"

// EnableBetaManagementPolicies lets managed resources say which actions the provider may take.
const EnableBetaManagementPolicies = feature.EnableBetaManagementPolicies
