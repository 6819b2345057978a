import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

/** In `x-arcade-own-key`: proves that the request comes from a process that this one started; that process names its caller. */
export const OWN_PROCESS_KEY = randomUUID();

/** The proxies in front of the service: how many follow each other (0: none), or the networks that they are in. */
export type TrustProxy = number | readonly string[];

/** Some proxies write the client's port behind its address: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/;

/** A socket that listens on `::` gives the address of an IPv4 client as `::ffff:192.0.2.1`. */
const toPlainAddress = (address: string): string =>
  address.startsWith("::") ? address.replace(/^::ffff:(?=[\d.]+$)/i, "") : address;

/** The address in an entry of `X-Forwarded-For`; null if it has none. */
function parseAddress(entry: string): string | null {
  if (isIP(entry) !== 0) return toPlainAddress(entry);
  const [, inBrackets, ipv4] = WITH_PORT.exec(entry) ?? [];
  const address = inBrackets ?? ipv4 ?? "";
  return isIP(address) === 0 ? null : toPlainAddress(address);
}

const lists = new WeakMap<readonly string[], BlockList>();

function toList(networks: readonly string[]): BlockList {
  const known = lists.get(networks);
  if (known !== undefined) return known;
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  lists.set(networks, list);
  return list;
}

/** Whether a connection from `address` is one of the proxies. */
export function isProxy(address: string | undefined, trustProxy: TrustProxy): boolean {
  if (typeof trustProxy === "number") return trustProxy > 0;
  const plain = toPlainAddress(address ?? "");
  return isIP(plain) !== 0 && toList(trustProxy).check(plain, isIP(plain) === 6 ? "ipv6" : "ipv4");
}

/**
 * The client's address. Each proxy appends the address that it was reached from to `X-Forwarded-For`, so that the
 * entries are read from the right: past as many proxies as there are, or past all that are in the networks of proxies.
 * An entry that is not an address ends the search: any text would make each request another client's.
 */
export function getClientAddress(request: IncomingMessage, proxies: TrustProxy): string {
  // The own process names exactly its caller.
  const trustProxy = request.headers["x-arcade-own-key"] === OWN_PROCESS_KEY ? 1 : proxies;
  const { remoteAddress } = request.socket;
  const own = remoteAddress === undefined ? "unknown" : toPlainAddress(remoteAddress);
  const header = isProxy(own, trustProxy) ? String(request.headers["x-forwarded-for"] ?? "") : "";
  if (header === "") return own;
  const entries = header.split(",").map((entry) => parseAddress(entry.trim()));
  if (typeof trustProxy === "number") return entries.at(-Math.min(trustProxy, entries.length)) ?? own;
  let address = own;
  for (const entry of entries.reverse()) {
    if (entry === null || !isProxy(address, trustProxy)) break;
    address = entry;
  }
  return address;
}
