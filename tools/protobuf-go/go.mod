module example.org/tools/protobuf-go

go 1.26

require (
	github.com/crossplane/function-sdk-go v0.7.1
	google.golang.org/protobuf v1.36.11
)

require (
	golang.org/x/net v0.54.0 // indirect
	golang.org/x/sys v0.45.0 // indirect
	golang.org/x/text v0.37.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260427160629-7cedc36a6bc4 // indirect
	google.golang.org/grpc v1.81.1 // indirect
)
