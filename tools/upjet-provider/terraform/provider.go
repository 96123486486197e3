// Package terraform is a small Terraform provider, whose cloud is e2e/rig/cloud.ts.
package terraform

import (
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/retry"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// Provider returns the provider. The meta of its resources is a *Cloud.
func Provider() *schema.Provider {
	return &schema.Provider{
		ResourcesMap: map[string]*schema.Resource{
			"rig_cluster":    cluster(),
			"rig_bucket":     bucket(),
			"rig_database":   database(),
			"rig_attachment": attachment(),
			"rig_role":       role(),
		},
	}
}

func cluster() *schema.Resource {
	const path = "clusters/"
	observe := read(path, "region", "endpoint")
	return &schema.Resource{
		Description: "It takes seconds to create, and the cloud makes up its identifier.",
		Schema:      map[string]*schema.Schema{"region": required(), "endpoint": computed()},
		CreateContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			cloud := meta.(*Cloud)
			created, err := cloud.do(ctx, http.MethodPost, path, fields{"region": d.Get("region")})
			if err != nil {
				return diag.FromErr(err)
			}
			d.SetId(created["id"].(string))
			if err := waitUntilAvailable(ctx, cloud, path+d.Id()); err != nil {
				return diag.FromErr(err)
			}
			return observe(ctx, d, meta)
		},
		ReadContext:   observe,
		DeleteContext: remove(path),
	}
}

func waitUntilAvailable(ctx context.Context, cloud *Cloud, path string) error {
	wait := retry.StateChangeConf{
		Pending:      []string{"creating"},
		Target:       []string{"available"},
		Timeout:      time.Minute,
		PollInterval: 500 * time.Millisecond,
		Refresh: func() (any, string, error) {
			found, err := cloud.get(ctx, path)
			if err != nil || found == nil {
				return nil, "", err
			}
			return found, found["state"].(string), nil
		},
	}
	_, err := wait.WaitForStateContext(ctx)
	return err
}

func bucket() *schema.Resource {
	const path = "buckets/"
	observe := read(path, "name", "region", "tags")
	put := write(path, observe, "region", "tags")
	return &schema.Resource{
		Description:   "Its creator names it, and it has tags.",
		Schema:        map[string]*schema.Schema{"name": required(), "region": required(), "tags": tags()},
		CreateContext: put,
		ReadContext:   observe,
		UpdateContext: put,
		DeleteContext: remove(path),
	}
}

func database() *schema.Resource {
	const path = "databases/"
	password := computed()
	password.Sensitive = true
	observe := read(path, "name", "region", "endpoint", "password")
	return &schema.Resource{
		Description: "Its creator names it, and the cloud makes up its password.",
		Schema: map[string]*schema.Schema{
			"name": required(), "region": required(), "endpoint": computed(), "password": password,
		},
		CreateContext: write(path, observe, "region"),
		ReadContext:   observe,
		DeleteContext: remove(path),
	}
}

func role() *schema.Resource {
	const path = "roles/"
	password := computed()
	password.Sensitive = true
	rotation := &schema.Schema{Type: schema.TypeString, Optional: true}
	observe := read(path, "name", "rotation", "endpoint", "username", "password")
	put := write(path, observe, "rotation")
	return &schema.Resource{
		Description: "A role of a real PostgreSQL, which may log in. A new value of rotation gives it a new password.",
		Schema: map[string]*schema.Schema{
			"name": required(), "rotation": rotation, "endpoint": computed(), "username": computed(), "password": password,
		},
		CreateContext: put,
		ReadContext:   observe,
		UpdateContext: put,
		DeleteContext: remove(path),
	}
}

func attachment() *schema.Resource {
	const path = "attachments/"
	observe := read(path, "bucket", "tags")
	return &schema.Resource{
		Description: "A bucket has one at most, it has tags, and the cloud makes up its identifier.",
		Schema:      map[string]*schema.Schema{"bucket": required(), "tags": tags()},
		CreateContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			created, err := meta.(*Cloud).do(ctx, http.MethodPost, path, arguments(d, "bucket", "tags"))
			if err != nil {
				return diag.FromErr(err)
			}
			if created == nil {
				return diag.Errorf("cannot attach: bucket %s has an attachment", d.Get("bucket"))
			}
			d.SetId(created["id"].(string))
			return observe(ctx, d, meta)
		},
		ReadContext: observe,
		UpdateContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			if _, err := meta.(*Cloud).do(ctx, http.MethodPut, path+d.Id(), arguments(d, "tags")); err != nil {
				return diag.FromErr(err)
			}
			return observe(ctx, d, meta)
		},
		DeleteContext: remove(path),
	}
}

func tags() *schema.Schema {
	return &schema.Schema{Type: schema.TypeMap, Optional: true, Elem: &schema.Schema{Type: schema.TypeString}}
}

func required() *schema.Schema {
	return &schema.Schema{Type: schema.TypeString, Required: true, ForceNew: true}
}

func computed() *schema.Schema {
	return &schema.Schema{Type: schema.TypeString, Computed: true}
}

type operation = func(context.Context, *schema.ResourceData, any) diag.Diagnostics

// write creates what has a name, or updates it.
func write(path string, observe operation, names ...string) operation {
	return func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
		d.SetId(d.Get("name").(string))
		if _, err := meta.(*Cloud).do(ctx, http.MethodPut, path+d.Id(), arguments(d, names...)); err != nil {
			return diag.FromErr(err)
		}
		return observe(ctx, d, meta)
	}
}

func arguments(d *schema.ResourceData, names ...string) fields {
	set := fields{}
	for _, name := range names {
		set[name] = d.Get(name)
	}
	return set
}

func read(path string, attributes ...string) operation {
	return func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
		found, err := meta.(*Cloud).get(ctx, path+d.Id())
		if err != nil {
			return diag.FromErr(err)
		}
		if found == nil {
			d.SetId("")
			return nil
		}
		for _, attribute := range attributes {
			if err := d.Set(attribute, found[attribute]); err != nil {
				return diag.FromErr(err)
			}
		}
		return nil
	}
}

func remove(path string) operation {
	return func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
		_, err := meta.(*Cloud).do(ctx, http.MethodDelete, path+d.Id(), nil)
		return diag.FromErr(err)
	}
}
