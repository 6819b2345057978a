/** An explorer with the parts of the APIs of Etherscan (version 2), Blockscout and Sourcify that publish sources. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { Explorer } from "../../deploy/public/verify.ts";

export interface Submission {
  readonly explorer: Explorer;
  readonly address: string;
  readonly contract: string;
  readonly constructorArguments: string | null;
  readonly sources: readonly string[];
}

/**
 * `rejections`: the number of submissions that are rejected before one is accepted, for each address and explorer. A
 * silent one accepts requests and answers none.
 */
export async function startExplorer(rejections: number, { isSilent = false } = {}) {
  const submissions: Submission[] = [];
  const rejectedCounts = new Map<string, number>();
  const verified = new Set<string>();
  const takeRejection = (key: string): boolean => {
    const count = rejectedCounts.get(key) ?? 0;
    if (count < rejections) rejectedCounts.set(key, count + 1);
    return count < rejections;
  };

  /** Blockscout has Etherscan's API, without a key. */
  function etherscan(explorer: "etherscan" | "blockscout", query: URLSearchParams, body: string): unknown {
    const address = query.get("address") ?? "";
    if (explorer === "etherscan" && query.get("apikey") !== "test-key")
      return { status: "0", message: "NOTOK", result: "Missing/Invalid API Key" };
    if (query.get("action") === "getsourcecode") {
      const SourceCode = verified.has(`${explorer} ${address.toLowerCase()}`) ? "contract" : "";
      return { status: "1", message: "OK", result: [{ SourceCode }] };
    }
    if (query.get("action") === "checkverifystatus") return { status: "1", message: "OK", result: "Pass - Verified" };
    if (query.get("action") !== "verifysourcecode") return { status: "0", message: "NOTOK", result: "no action" };
    const form = new URLSearchParams(body);
    const target = form.get("contractaddress")!.toLowerCase();
    if (takeRejection(`${explorer} ${target}`))
      return { status: "0", message: "NOTOK", result: "Max rate limit reached" };
    verified.add(`${explorer} ${target}`);
    submissions.push({
      explorer,
      address: target,
      contract: form.get("contractname")!,
      constructorArguments: form.get("constructorArguments"),
      sources: Object.keys(JSON.parse(form.get("sourceCode")!).sources),
    });
    return { status: "1", message: "OK", result: target };
  }

  function sourcify(path: string, method: string, body: string): readonly [number, unknown] {
    const [, , what, chainOrJob, address = ""] = path.split("/").map((part) => part.toLowerCase());
    const contract = {
      chainId: chainOrJob,
      address,
      match: null as string | null,
      creationMatch: null,
      runtimeMatch: null,
    };
    if (what === "contract") {
      const match = verified.has(`sourcify ${address}`) ? "match" : null;
      return [match === null ? 404 : 200, { ...contract, match }];
    }
    if (method === "GET") {
      const job = { isJobCompleted: true, verificationId: chainOrJob, jobStartTime: "2026-01-01T00:00:00Z" };
      return [200, { ...job, contract: { ...contract, match: "match" } }];
    }
    if (takeRejection(`sourcify ${address}`))
      return [500, { customCode: "internal_error", message: "busy", errorId: "1" }];
    verified.add(`sourcify ${address}`);
    const { contractIdentifier, stdJsonInput } = JSON.parse(body);
    const sources = Object.keys(stdJsonInput.sources);
    submissions.push({
      explorer: "sourcify",
      address,
      contract: contractIdentifier,
      constructorArguments: null,
      sources,
    });
    return [202, { verificationId: address }];
  }

  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    if (isSilent) return;
    const url = new URL(incoming.url!, "http://explorer.invalid");
    const body = Buffer.concat(chunks).toString();
    const explorer = ({ "/api": "etherscan", "/blockscout/api": "blockscout" } as const)[url.pathname];
    const [status, response] =
      explorer !== undefined
        ? ([200, etherscan(explorer, url.searchParams, body)] as const)
        : sourcify(url.pathname, incoming.method!, body);
    outgoing.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(response));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  return {
    etherscanUrl: `${origin}/api`,
    blockscoutUrl: `${origin}/blockscout/api`,
    sourcifyUrl: origin,
    submissions,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
