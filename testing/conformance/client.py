"""Calls the function with grpcio, knowing of it only what reflection tells, and prints what it saw as JSON.

usage: client.py HOST:PORT < request.json
"""

import json
import sys

import grpc
from google.protobuf import json_format, message_factory
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

TIMEOUT_SECONDS = 10
COMPRESSIONS = {"none": grpc.Compression.NoCompression, "gzip": grpc.Compression.Gzip, "deflate": grpc.Compression.Deflate}


def run_function(channel, pool, service, request, compression):
    """The response as JSON, or the code and the words of the failure."""
    method = pool.FindServiceByName(service).FindMethodByName("RunFunction")
    call = channel.unary_unary(
        f"/{service}/RunFunction",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=message_factory.GetMessageClass(method.output_type).FromString,
    )
    message = json_format.ParseDict(request, message_factory.GetMessageClass(method.input_type)())
    try:
        return json_format.MessageToDict(call(message, timeout=TIMEOUT_SECONDS, compression=compression))
    except grpc.RpcError as error:
        return {"code": error.code().name, "details": error.details()}


def check_health(channel, service):
    request = health_pb2.HealthCheckRequest(service=service)
    try:
        response = health_pb2_grpc.HealthStub(channel).Check(request, timeout=TIMEOUT_SECONDS)
        return health_pb2.HealthCheckResponse.ServingStatus.Name(response.status)
    except grpc.RpcError as error:
        return error.code().name


def main():
    request = json.load(sys.stdin)
    with grpc.insecure_channel(sys.argv[1]) as channel:
        database = ProtoReflectionDescriptorDatabase(channel)
        services = sorted(database.get_services())
        pool = DescriptorPool(database)
        runners = [name for name in services if name.endswith(".FunctionRunnerService")]
        report = {
            "services": services,
            "health": {name: check_health(channel, name) for name in ["", *runners, "nobody.knows.It"]},
            "responses": {
                name: {
                    compression: run_function(channel, pool, name, request, algorithm)
                    for compression, algorithm in COMPRESSIONS.items()
                }
                for name in runners
            },
        }
    json.dump(report, sys.stdout)


main()
