//! Generates the messages and the server from the protocol's own files. protox compiles them, so that no protoc is needed.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=../../proto");
    let files = protox::compile(["v1/run_function.proto"], ["../../proto"])?;
    tonic_prost_build::configure().build_client(false).compile_fds(files)?;
    Ok(())
}
