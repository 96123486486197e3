import { createSocket } from "node:dgram";
import { once } from "node:events";

/** A DNS server on loopback that knows one name, as a cluster's does for a headless Service. */
export interface Dns {
  readonly port: number;
  /** The addresses that every name resolves to from now on. */
  addresses: readonly string[];
  stop(): void;
}

const HEADER = 12;
const TYPE_A = 1;

export async function startDns(addresses: readonly string[]): Promise<Dns> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const dns: Dns = { port: socket.address().port, addresses, stop: () => socket.close() };
  socket.on("message", (query, { port, address }) => socket.send(answer(query, dns.addresses), port, address));
  return dns;
}

/** RFC 1035, section 4.1: the question again, and an A record for each address; nothing for other types. */
function answer(query: Buffer, addresses: readonly string[]): Buffer {
  const end = query.indexOf(0, HEADER) + 5;
  const question = query.subarray(HEADER, end);
  const records = question.readUInt16BE(question.length - 4) === TYPE_A ? addresses.map(recordOf) : [];
  const header = Buffer.from(query.subarray(0, HEADER));
  header.writeUInt16BE(0x8180, 2); // an answer without errors, recursion desired and available
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  header.fill(0, 8); // no authorities, and none of the additional records that the query may have
  return Buffer.concat([header, question, ...records]);
}

/** Of the name at the question's place, class IN, with no time to live. */
const recordOf = (address: string): Buffer =>
  Buffer.from([0xc0, HEADER, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]);
