package namingscheme

# One rule for all of cases.yaml, which the ValidatingAdmissionPolicy is held to as well: it prints each case that differs.
test_cases {
  wrong := [testcase.reason | testcase := data.cases[_]; is_denied(testcase) == testcase.allowed]
  wrong == []
}

test_the_message_says_what_would_be_right {
  messages := {msg | violation[{"msg": msg}] with input as review("CREATE", {"name": "orders"}, object.remove(data.parameters, ["services"]))}
  messages == {"cannot create Database orders: its name is not <service>-<env>-<type>, where env is one of dev, prod, prod-eu and type one of db, read-replica"}
}

test_only_creation_is_looked_at {
  messages := {msg | violation[{"msg": msg}] with input as review("UPDATE", {"name": "orders"}, data.parameters)}
  messages == set()
}

is_denied(testcase) = count(messages) > 0 {
  messages := {msg | violation[{"msg": msg}] with input as review("CREATE", testcase.metadata, parameters_of(testcase))}
}

parameters_of(testcase) = data.parameters { testcase.services } else = object.remove(data.parameters, ["services"])

review(operation, metadata, parameters) = {
  "review": {"operation": operation, "object": {"apiVersion": "naming.example.org/v1", "kind": "Database", "metadata": metadata}},
  "parameters": parameters,
}
