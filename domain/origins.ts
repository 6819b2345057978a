/** The origins (scheme, host, port; RFC 6454) of the service's own pages. */

const LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "[::1]"];

/** Whether the host name of a URL, as `URL.hostname` gives it, is this machine itself. */
export const isLoopbackHost = (hostname: string): boolean =>
  LOOPBACK_HOSTS.includes(hostname) || /^127(?:\.\d{1,3}){3}$/.test(hostname) || hostname.endsWith(".localhost");

/**
 * The origin of `publicUrl`, under each of its names where it is this machine, and the origins of `domains` (host:port).
 * A domain's pages come by https, and by http only where the service itself does.
 */
export function listOrigins(publicUrl: string, domains: readonly string[]): readonly string[] {
  const { protocol, hostname, port, origin } = new URL(publicUrl);
  const names = isLoopbackHost(hostname) ? LOOPBACK_HOSTS : [];
  const own = names.map((name) => new URL(`${protocol}//${name}${port === "" ? "" : `:${port}`}`).origin);
  const schemes = protocol === "https:" ? ["https"] : ["https", "http"];
  const others = domains.flatMap((domain) => schemes.map((scheme) => new URL(`${scheme}://${domain}`).origin));
  return [...new Set([origin, ...own, ...others])];
}

/** Whether the value of an `Origin` header is one of `origins`; a value with anything more than an origin is not. */
export function isAllowedOrigin(value: string, origins: readonly string[]): boolean {
  if (!URL.canParse(value)) return false;
  const { origin, href } = new URL(value);
  return href === `${origin}/` && origins.includes(origin);
}
