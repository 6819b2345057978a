/** The behavior of the attackers in the admission drill, for `hoarders.py`. */
import { scaleCount } from "./drill.ts";

/** The number of addresses, and of the connections that each holds. */
const ADDRESSES = scaleCount(62);
const PER_ADDRESS = 99;
const REGISTERING = scaleCount(180);
const PLAYING = scaleCount(34);
/** More than one address may hold. */
const NEIGHBORS = 110;

interface Guests {
  readonly port: number;
  /** The address of each socket, and the one that it claims as a proxy. */
  readonly addresses: readonly (readonly [string, string])[];
  readonly connections: number;
  readonly request: string;
  /** Whether they read what they receive. */
  readonly reads: boolean;
  /** Seconds after which a guest returns, and after which it gives up a connection. */
  readonly again: number;
  readonly hold: number;
}

const list = (count: number, toAddress: (n: number) => string, toClaimed = (_: number): string => "") =>
  Array.from({ length: count }, (_, n) => [toAddress(n), toClaimed(n)] as const);

const createRequest = (host: string, line: string, headers: readonly string[] = [], body = ""): string =>
  [`${line} HTTP/1.1`, `Host: ${host}`, ...headers, "", body].join("\r\n");

/** `length`: the length of the completed body. */
const createPost = (host: string, path: string, body: string, length = body.length): string =>
  createRequest(
    host,
    `POST ${path}`,
    ["Connection: close", "Content-Type: application/json", `Content-Length: ${length}`],
    body,
  );

const createCall = (host: string, name: string, input: object): string =>
  createPost(
    host,
    "/mcp",
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } }),
  );

/** `backendUrl`: the backend's URL, for guests of another proxy; null if clients connect directly. */
export function planGuests(url: string, backendUrl: string | null): readonly Guests[] {
  const { host } = new URL(url);
  const port = Number(new URL(url).port);
  const never = { connections: PER_ADDRESS, reads: false, again: 0.5, hold: 15 };
  const callers = { port, connections: 1, reads: true, again: 1, hold: 60 };
  const document = "GET /openapi.json";
  // Compressed, a response just exceeds the balancer's buffers, which limits the memory that the drill uses.
  const encoding = backendUrl === null ? "identity" : "gzip";
  const wallet = JSON.stringify({ walletAddress: "0xWALLET", agentName: "Guest" });
  // Nearly all fuel of a tick.
  const slow = "() => { for (let i = 0; i < 190000; i += 1); return null; }";
  const ranked = { slug: "shellrunners", policy: slow };
  return [
    {
      ...{ port, ...never, request: createRequest(host, document, [`Accept-Encoding: ${encoding}`, ""]) },
      addresses: list(ADDRESSES, (n) => `127.0.${1 + (n % 4)}.${1 + n}`),
    },
    {
      ...{ ...callers, again: 3, addresses: list(REGISTERING, (n) => `127.1.${n}.1`) },
      request: createPost(host, "/api/identity/register", wallet, wallet.length + 34),
    },
    {
      ...{ ...callers, addresses: list(4, (n) => `127.2.${n}.1`) },
      request: createCall(host, "simulate", { ...ranked, seeds: 2000, maxSeconds: 600 }),
    },
    {
      ...{ ...callers, addresses: list(PLAYING, (n) => `127.3.${n}.1`) },
      request: createCall(host, "play", { ...ranked, practice: true, waitSeconds: 50 }),
    },
    backendUrl === null
      ? // At the player's own address.
        {
          ...{ port, ...never, connections: NEIGHBORS },
          request: createRequest(host, "GET /none", [""]),
          addresses: list(1, () => "127.0.0.1"),
        }
      : {
          ...{ ...never, port: Number(new URL(backendUrl).port) },
          request: createRequest(host, document, ["X-Forwarded-For: FORWARDED", ""]),
          addresses: list(
            ADDRESSES,
            () => "127.4.0.1",
            (n) => `2001:db8:0:${n.toString(16)}::1`,
          ),
        },
  ];
}
