import { type IncomingMessage, request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";

/** Opens a TLS connection to `server` by way of an HTTP proxy. @throws {Error} where the proxy refuses or does not answer. */
export async function openTunnel(
  proxy: URL,
  server: URL,
  { timeout, ...tls }: ConnectionOptions & { readonly timeout: number },
): Promise<TLSSocket> {
  const host = server.hostname.replace(/^\[|\]$/g, "");
  const socket = await connectBy(proxy, `${server.hostname}:${server.port || 443}`, timeout);
  return connect({ host, ...(isIP(host) === 0 && { servername: host }), ...tls, socket });
}

function connectBy(proxy: URL, path: string, timeout: number): Promise<Socket> {
  const request = proxy.protocol === "https:" ? overHttps : overHttp;
  const { username, password } = proxy;
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  return new Promise((resolve, reject) => {
    const sent = request({
      host: proxy.hostname,
      port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
      method: "CONNECT",
      path,
      timeout,
      headers: { host: path, ...(username !== "" && { "proxy-authorization": `Basic ${login}` }) },
    });
    sent.once("connect", ({ statusCode }: IncomingMessage, socket: Socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy ${proxy.host} answers ${statusCode}`));
    });
    sent.once("timeout", () => sent.destroy(new Error(`no answer in ${timeout} ms`)));
    sent.once("error", reject);
    sent.end();
  });
}
