/** Hosts that only one machine or one network can reach. */
import { BlockList, isIP } from "node:net";

/** Addresses that are not routed publicly, by the IANA registries of special-purpose addresses. */
const PRIVATE_ADDRESSES = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const)
  PRIVATE_ADDRESSES.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
] as const)
  PRIVATE_ADDRESSES.addSubnet(network, prefix, "ipv6");

/** Names of RFC 6761, RFC 6762, RFC 8375 and ICANN's `internal`; a name without a dot is local. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|home\.arpa)$|^[^.]*$/;

/** Whether a URL's host, as `URL.hostname` returns it, looks publicly reachable. */
export function isPublicHost(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  const version = isIP(address);
  if (version !== 0) return !PRIVATE_ADDRESSES.check(address, version === 6 ? "ipv6" : "ipv4");
  return !PRIVATE_NAME.test(hostname.replace(/\.$/, ""));
}
