/** The origins (scheme, host, port; RFC 6454) of the service's own pages. */

const LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "[::1]"];
/** The host machine as containers see it. ICANN reserves the domain `internal` for private use, so these never resolve to a public host. */
const CONTAINER_HOSTS = ["host.docker.internal", "host.containers.internal"];
/** 127.0.0.0/8, and the same in IPv6 as `URL` writes it. */
const LOOPBACK_ADDRESS = /^(?:127(?:\.\d{1,3}){3}|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/;

const removeLastDot = (hostname: string): string => hostname.replace(/\.$/, "");

/** Whether traffic to a host name, as `URL.hostname` returns it, stays on this machine. */
export function isLoopbackHost(hostname: string): boolean {
  const name = removeLastDot(hostname);
  return LOOPBACK_HOSTS.includes(name) || LOOPBACK_ADDRESS.test(name) || name.endsWith(".localhost");
}

/**
 * Whether a page or request addresses this machine, also from a container. Do not use it to decide where secrets may
 * go.
 */
export const namesThisMachine = (hostname: string): boolean =>
  isLoopbackHost(hostname) || CONTAINER_HOSTS.includes(removeLastDot(hostname));

/** Domains that public DNS never delegates: RFC 6761, 6762 and 8375, and ICANN's `internal`. Kubernetes uses `local`. */
const PRIVATE_DOMAIN = /\.(?:internal|local|localhost|test|home\.arpa)$/;

/**
 * Whether no public site can have this host name, so that DNS rebinding cannot produce it: an IP address, a name
 * without a dot as containers of Docker Compose have it, or a name in a private domain.
 */
export function isPrivateName(hostname: string): boolean {
  const name = removeLastDot(hostname);
  return !name.includes(".") || /^(?:\[.*\]|[\d.]+)$/.test(name) || PRIVATE_DOMAIN.test(name);
}

/** Whether a listening address means every address of the machine: `0.0.0.0`, `::` and their longer spellings. */
export const isWildcard = (host: string): boolean => /^[0:.]+$/.test(host);

/** The URL at which a server that listens on `host` can be opened on its own machine. */
export function toHttpUrl(host: string, port: number): string {
  if (isWildcard(host)) return `http://localhost:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** What an operator does about a refused name. */
export const PUBLIC_URL_NEXT = "If this is the service's address, its operator must set ARCADE_PUBLIC_URL to it.";

/** The accepted origins of pages for `host` (host:port). */
export type OwnOrigins = (host: string) => readonly string[];

/**
 * Without a public URL, which every chain but the development chain requires, pages of this machine are accepted on any
 * port: a container's published port and a tunnel have another port than the server.
 */
export const createOwnOrigins = (
  getPublicUrl: () => string,
  { publicUrl, authDomains }: { readonly publicUrl: string | null; readonly authDomains: readonly string[] | null },
): OwnOrigins => {
  return (host) => {
    const listed = listOrigins(getPublicUrl(), authDomains ?? []);
    const url = publicUrl === null && URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null;
    if (url === null || !namesThisMachine(url.hostname)) return listed;
    return [...listed, url.origin, new URL(`https://${host}`).origin];
  };
};

/**
 * The origin of `publicUrl`, under each of its names if it is this machine, and the origins of `domains` (host:port).
 * A domain's pages come by https, and by http only when the service itself does.
 */
function listOrigins(publicUrl: string, domains: readonly string[]): readonly string[] {
  const { protocol, hostname, port, origin } = new URL(publicUrl);
  const names = isLoopbackHost(hostname) ? LOOPBACK_HOSTS : [];
  const own = names.map((name) => new URL(`${protocol}//${name}${port === "" ? "" : `:${port}`}`).origin);
  const schemes = protocol === "https:" ? ["https"] : ["https", "http"];
  const others = domains.flatMap((domain) => schemes.map((scheme) => new URL(`${scheme}://${domain}`).origin));
  return [...new Set([origin, ...own, ...others])];
}

/** Whether an `Origin` header is accepted; a value with more than an origin is not. */
export function isAllowedOrigin(value: string, origins: OwnOrigins): boolean {
  if (!URL.canParse(value)) return false;
  const { origin, href, host } = new URL(value);
  return href === `${origin}/` && origins(host).includes(origin);
}
