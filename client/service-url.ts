/** The URL of a service, as a person or a program gives it. */

/** The origin of the URL. `name` is the option that has it. Throws `TypeError`; its message contains no credentials. */
export function parseServiceUrl(name: string, text: string): string {
  const url = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? new URL(text) : null;
  const fail = (example: string, received: string): never => {
    throw new TypeError(`${name}: expected the origin of a service, like ${example}, received ${received}`);
  };
  if (url === null) {
    const received = String(text).includes("@") ? "a value that is not shown" : JSON.stringify(text);
    return fail("http://127.0.0.1:4100", received);
  }
  if (url.username !== "" || url.password !== "") return fail(url.origin, "a URL with a user or a password: remove it");
  const rest = url.href.slice(url.origin.length);
  return /^\/*$/.test(rest) ? url.origin : fail(url.origin, `${JSON.stringify(text)}: remove ${JSON.stringify(rest)}`);
}
