//! Serves one of the bench's jobs as a composition function, over messages that are decoded whole: `function -address HOST:PORT
//! -job JOB`. The jobs are those of tools/bench-go, done on protobuf's own messages.

mod jobs;

use tonic::{Request, Response, Status, transport::Server};

/// The protocol's messages, made from proto/ by build.rs.
mod proto {
    tonic::include_proto!("apiextensions.r#fn.proto.v1");
}

use proto::function_runner_service_server::{FunctionRunnerService, FunctionRunnerServiceServer};
use proto::{RunFunctionRequest, RunFunctionResponse};

struct Function {
    job: jobs::Job,
}

#[tonic::async_trait]
impl FunctionRunnerService for Function {
    async fn run_function(
        &self,
        request: Request<RunFunctionRequest>,
    ) -> Result<Response<RunFunctionResponse>, Status> {
        Ok(Response::new((self.job)(request.into_inner())))
    }
}

/// The receive windows that our own server has: it is decoding that is to be compared.
const WINDOW: u32 = 8 * 1024 * 1024;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let flag = |name: &str| std::env::args().skip_while(|arg| arg != name).nth(1);
    let address = flag("-address").unwrap_or_else(|| "127.0.0.1:9443".into());
    let name = flag("-job").unwrap_or_else(|| "touch few".into());
    let job = jobs::find(&name).ok_or_else(|| format!("there is no job {name}"))?;
    let service = FunctionRunnerServiceServer::new(Function { job })
        .max_decoding_message_size(usize::MAX)
        .max_encoding_message_size(usize::MAX);
    Server::builder()
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .add_service(service)
        .serve(address.parse()?)
        .await?;
    Ok(())
}
