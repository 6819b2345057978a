/** Sends requests over persistent connections, one at a time on each. */
import { Agent, request } from "node:http";

export interface EndpointRequest {
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: object;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface TimedAnswer extends Answer {
  /** From the request to the whole answer. */
  readonly ms: number;
}

function send(agent: Agent, url: string, { path, headers, body }: EndpointRequest): Promise<Answer> {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${path}`, {
      agent,
      method: "POST",
      headers: { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text), ...headers },
    });
    outgoing.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      response.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end(text);
  });
}

/** The answers in the order of the requests. */
export async function sendAll(
  url: string,
  requests: readonly EndpointRequest[],
  connections: number,
): Promise<readonly TimedAnswer[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const answers: TimedAnswer[] = new Array(requests.length);
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < requests.length) {
      const n = next++;
      const startedMs = performance.now();
      const answer = await send(agent, url, requests[n]!);
      answers[n] = { ...answer, ms: performance.now() - startedMs };
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, run));
    return answers;
  } finally {
    agent.destroy();
  }
}
