//! The bench's jobs on prost's messages.

use crate::proto::{
    Ready, Resource, ResponseMeta, RunFunctionRequest, RunFunctionResponse, State,
};
use prost_types::value::Kind;
use prost_types::{Duration, ListValue, Struct, Value};

/// One RunFunction.
pub type Job = fn(RunFunctionRequest) -> RunFunctionResponse;

pub fn find(name: &str) -> Option<Job> {
    match name {
        "echo" => Some(echo),
        "touch few" => Some(touch_few),
        "look up" => Some(look_up),
        "everything" => Some(everything),
        "tag all" => Some(tag_all),
        "select" => Some(select),
        _ => None,
    }
}

/// The observed resources that "touch few" reads; it edits the desired resource of the first name.
const READ: [&str; 3] = ["resource-000", "resource-001", "resource-002"];

/// What all jobs return: the desired state and the context of the steps before.
fn echo(request: RunFunctionRequest) -> RunFunctionResponse {
    RunFunctionResponse {
        meta: Some(ResponseMeta {
            tag: request.meta.map(|meta| meta.tag).unwrap_or_default(),
            ttl: Some(Duration { seconds: 60, nanos: 0 }),
        }),
        desired: request.desired,
        context: request.context,
        ..Default::default()
    }
}

fn touch_few(request: RunFunctionRequest) -> RunFunctionResponse {
    let observed = request.observed.as_ref();
    let ids = READ
        .iter()
        .filter_map(|name| observed?.resources.get(*name))
        .map(|resource| text_at(resource, &["status", "atProvider", "id"]))
        .collect::<Vec<_>>()
        .join(",");
    let name = composite_text(&request, &["metadata", "name"]);
    let mut response = echo(request);
    let desired = response.desired.get_or_insert_default();
    if let Some(resource) = desired.resources.get_mut(READ[0]) {
        set(resource, &["metadata", "annotations", "example.org/ids"], text(&ids));
    }
    desired.resources.insert("added".into(), added(&name, &ids));
    response
}

fn added(name: &str, ids: &str) -> Resource {
    let mut resource = Resource { ready: Ready::True.into(), ..Default::default() };
    set(&mut resource, &["apiVersion"], text("v1"));
    set(&mut resource, &["kind"], text("ConfigMap"));
    set(&mut resource, &["metadata", "name"], text(&format!("{name}-added")));
    set(&mut resource, &["data", "ids"], text(ids));
    resource
}

fn look_up(mut request: RunFunctionRequest) -> RunFunctionResponse {
    let State { resources, .. } = request.observed.take().unwrap_or_default();
    let mut names: Vec<_> = resources.keys().collect();
    names.sort();
    let ids: Vec<_> =
        names.iter().map(|name| text_at(&resources[*name], &["status", "atProvider", "id"])).collect();
    with_context(request, "example.org/ids", text(&ids.join(",")))
}

fn everything(mut request: RunFunctionRequest) -> RunFunctionResponse {
    let observed = request.observed.take().unwrap_or_default();
    let mut response = echo(request);
    for (name, resource) in &mut response.desired.get_or_insert_default().resources {
        let generation = match observed.resources.get(name).and_then(|it| at(it, &["metadata", "generation"])) {
            Some(Value { kind: Some(Kind::NumberValue(number)) }) => number.to_string(),
            _ => String::new(),
        };
        set(resource, &["metadata", "annotations", "example.org/generation"], text(&generation));
    }
    response
}

fn tag_all(request: RunFunctionRequest) -> RunFunctionResponse {
    let cost_center = composite_text(&request, &["metadata", "labels", "cost-center"]);
    let mut response = echo(request);
    for resource in response.desired.get_or_insert_default().resources.values_mut() {
        set(resource, &["spec", "forProvider", "tags", "cost-center"], text(&cost_center));
    }
    response
}

fn select(mut request: RunFunctionRequest) -> RunFunctionResponse {
    let items = request.required_resources.remove("shared").unwrap_or_default().items;
    let values = items
        .into_iter()
        .map(|item| Value { kind: item.resource.map(Kind::StructValue) })
        .collect();
    with_context(request, "example.org/shared", Value { kind: Some(Kind::ListValue(ListValue { values })) })
}

fn with_context(request: RunFunctionRequest, key: &str, value: Value) -> RunFunctionResponse {
    let mut response = echo(request);
    response.context.get_or_insert_default().fields.insert(key.into(), value);
    response
}

fn text(text: &str) -> Value {
    Value { kind: Some(Kind::StringValue(text.into())) }
}

fn at<'a>(resource: &'a Resource, path: &[&str]) -> Option<&'a Value> {
    let (last, parents) = path.split_last()?;
    let mut fields = &resource.resource.as_ref()?.fields;
    for step in parents {
        match fields.get(*step)?.kind.as_ref()? {
            Kind::StructValue(inner) => fields = &inner.fields,
            _ => return None,
        }
    }
    fields.get(*last)
}

fn text_at(resource: &Resource, path: &[&str]) -> String {
    match at(resource, path) {
        Some(Value { kind: Some(Kind::StringValue(text)) }) => text.clone(),
        _ => String::new(),
    }
}

fn composite_text(request: &RunFunctionRequest, path: &[&str]) -> String {
    let composite = request.observed.as_ref().and_then(|state| state.composite.as_ref());
    composite.map(|resource| text_at(resource, path)).unwrap_or_default()
}

/// Sets a value; objects that are missing on the way are made.
fn set(resource: &mut Resource, path: &[&str], value: Value) {
    let Some((last, parents)) = path.split_last() else { return };
    let mut fields = &mut resource.resource.get_or_insert_default().fields;
    for step in parents {
        let inner = fields.entry((*step).into()).or_default();
        if !matches!(inner.kind, Some(Kind::StructValue(_))) {
            inner.kind = Some(Kind::StructValue(Struct::default()));
        }
        let Some(Kind::StructValue(next)) = &mut inner.kind else { return };
        fields = &mut next.fields;
    }
    fields.insert((*last).into(), value);
}
