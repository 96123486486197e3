// Package config tells upjet about the resources of the Terraform provider.
package config

import (
	"encoding/json"

	"github.com/crossplane/upjet/v2/pkg/config"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"upjet-provider/terraform"
)

// Provider returns upjet's configuration: of the code generator, and of the controllers.
func Provider() *config.Provider { return providerOf("upjet.example.org") }

// ProviderNamespaced returns the same for the namespaced kinds.
func ProviderNamespaced() *config.Provider { return providerOf("upjet.m.example.org") }

func providerOf(group string) *config.Provider {
	provider := terraform.Provider()
	configured := config.NewProvider(schemas(provider), "rig", "upjet-provider", descriptions(provider),
		config.WithRootGroup(group),
		config.WithShortName("rig"),
		config.WithFeaturesPackage("internal/features"),
		config.WithBasePackages(config.BasePackages{}),
		// All are reconciled by the Terraform provider in this process, none by Terraform's CLI.
		config.WithIncludeList(nil),
		config.WithTerraformPluginSDKIncludeList([]string{".+"}),
		config.WithTerraformProvider(provider),
		config.WithDefaultResourceOptions(func(r *config.Resource) { r.ShortGroup, r.UseAsync = "", false }),
	)
	configured.AddResourceConfigurator("rig_cluster", func(r *config.Resource) {
		r.UseAsync = true
		r.ExternalName = config.IdentifierFromProvider
	})
	configured.AddResourceConfigurator("rig_attachment", func(r *config.Resource) {
		r.ExternalName = config.IdentifierFromProvider
		r.References["bucket"] = config.Reference{Type: "Bucket"} // by its TerraformName upjet looks in another package
	})
	for _, name := range []string{"rig_database", "rig_role"} {
		configured.AddResourceConfigurator(name, func(r *config.Resource) {
			r.Sensitive.AdditionalConnectionDetailsFn = connectionDetails
		})
	}
	configured.ConfigureResources()
	return configured
}

func connectionDetails(attributes map[string]any) (map[string][]byte, error) {
	details := map[string][]byte{"username": []byte("admin")}
	for _, name := range []string{"endpoint", "username", "password"} {
		if value, ok := attributes[name].(string); ok {
			details[name] = []byte(value)
		}
	}
	return details, nil
}

type object = map[string]any

// schemas lists the resources as `terraform providers schema -json` does. Only their names are read from it where the Terraform
// provider is in the process; upjet skips resources without attributes.
func schemas(provider *schema.Provider) []byte {
	resources := object{}
	for name := range provider.ResourcesMap {
		resources[name] = object{"block": object{"attributes": object{"id": object{"type": "string", "computed": true}}}}
	}
	return encode(object{
		"format_version":   "1.0",
		"provider_schemas": object{"rig": object{"resource_schemas": resources}},
	})
}

// descriptions lists what upjet's scraper would find in the provider's documentation.
func descriptions(provider *schema.Provider) []byte {
	resources := object{}
	for name, resource := range provider.ResourcesMap {
		resources[name] = object{"name": name, "description": resource.Description}
	}
	return encode(object{"name": "rig", "resources": resources})
}

func encode(value object) []byte {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return encoded
}
