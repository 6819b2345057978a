import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** How a node can fail: `black-hole` never answers, `endless` begins an answer and never ends it. */
export type Fault = "none" | "black-hole" | "endless" | "error-502" | "not-json" | "rpc-error" | "cut" | "other-chain";

interface Request {
  readonly id: unknown;
  readonly method: string;
}

/** A node in front of a real one, with a switch for its faults and a count of what came through. */
export async function startFaultyNode(target: string) {
  let fault: Fault = "none";
  let failNext = 0;
  let requests = 0;
  let dropSends = false;
  let onSend: () => Promise<void> = async () => undefined;

  function misbehave(response: ServerResponse, body: Request | readonly Request[]): boolean {
    const active = failNext > 0 ? "error-502" : fault;
    if (failNext > 0) failNext -= 1;
    if (active === "none" || active === "other-chain") return false;
    if (active === "endless") response.writeHead(200).write("{");
    if (active === "error-502") response.writeHead(502).end("bad gateway");
    if (active === "not-json") response.writeHead(200).end("<html>");
    if (active === "cut") response.destroy();
    if (active === "rpc-error") {
      const answer = ({ id }: Request) => ({ jsonrpc: "2.0", id, error: { code: -32_603, message: "boom" } });
      response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body as Request)));
    }
    return true;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += chunk;
    requests += 1;
    const body = JSON.parse(text) as Request | readonly Request[];
    if (misbehave(response, body)) return;
    const all: readonly Request[] = Array.isArray(body) ? body : [body as Request];
    if (all.some(({ method }) => method === "eth_sendRawTransaction")) {
      await onSend();
      if (dropSends) return void response.destroy();
    }
    let answered = await (await fetch(target, { method: "POST", body: text })).text();
    if (fault === "other-chain") answered = answered.replaceAll('"0x7a69"', '"0x1"');
    response.end(answered);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    setFault: (next: Fault): void => {
      fault = next;
    },
    /** The next so many requests are answered by 502. */
    failNext: (count: number): void => {
      failNext = count;
    },
    /** Requests that would send a transaction are cut off before they reach the chain. */
    dropSends: (drop: boolean): void => {
      dropSends = drop;
    },
    /** Runs before a transaction goes on to the chain. */
    onSend: (run: () => Promise<void>): void => {
      onSend = run;
    },
    requests: (): number => requests,
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
}
