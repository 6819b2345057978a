/** The key under which an address is limited. */

/** The eight groups of an IPv6 address without leading zeros. */
function toGroups(address: string): string[] {
  const [head = "", tail] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const missing = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array<string>(Math.max(0, missing)).fill("0"), ...right];
  return groups.map((group) => group.toLowerCase().replace(/^0+(?=.)/, ""));
}

const toIpv4 = (ip: string): string | null => {
  const address = ip.toLowerCase().startsWith("::ffff:") ? ip.slice(7) : ip;
  return address.includes(":") ? null : address;
};

/** The key of a caller's address. An IPv6 caller owns at least a /64 (RFC 6177), so a /64 counts as one address. */
export const toIpKey = (ip: string): string => toIpv4(ip) ?? toGroups(ip).slice(0, 4).join(":");

/** The key of the network that an address key belongs to: a /24 of IPv4, a /48 of IPv6. */
export const toPrefixKey = (ipKey: string): string =>
  ipKey.includes(":") ? ipKey.split(":").slice(0, 3).join(":") : ipKey.split(".").slice(0, 3).join(".");
