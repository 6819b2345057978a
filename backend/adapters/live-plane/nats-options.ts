import type { NodeConnectionOptions } from "@nats-io/transport-node";

function toCredentials({ username, password }: URL): Pick<NodeConnectionOptions, "user" | "pass" | "token"> {
  const user = decodeURIComponent(username);
  return password === "" ? { token: user } : { user, pass: decodeURIComponent(password) };
}

/**
 * The client's options for `nats://` and `tls://` URLs. User and password, or a token (a user without a password), are
 * taken from the first URL that has them.
 */
export function toNatsOptions(
  urls: readonly string[],
): Pick<NodeConnectionOptions, "servers" | "tls" | "user" | "pass" | "token"> {
  const parsed = urls.map((url) => new URL(url));
  const account = parsed.find(({ username }) => username !== "");
  return {
    servers: parsed.map(({ host }) => host),
    ...(parsed.some(({ protocol }) => protocol === "tls:") ? { tls: {} } : {}),
    ...(account === undefined ? {} : toCredentials(account)),
  };
}
