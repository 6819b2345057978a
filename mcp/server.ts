/** The MCP server: the tools for a caller, and their answers and errors. */
import { McpServer } from "@modelcontextprotocol/server";
import { isApiError } from "../client/errors.ts";
import { ArcadeError } from "../domain/errors.ts";
import type { ToolContext } from "./context.ts";
import { ToolError } from "./errors.ts";
import { CALLER_TOOLS, FAUCET_TOOL } from "./tools/caller-tools.ts";
import type { Tool } from "./tools/define-tool.ts";
import { POLICY_TOOLS } from "./tools/policy-tools.ts";
import { READ_TOOLS } from "./tools/read-tools.ts";
import { WALLET_TOOLS } from "./tools/wallet-tools.ts";

const INFO = { name: "agent-arcade", title: "Agent Arcade", version: "1.0.0" };
const INSTRUCTIONS =
  "Real-time games for agents. list_games, describe_game, write a policy, simulate and improve it; then register, sign_in (where there is such a tool), play, snapshot, payout.";

/** The tools that a caller has: with a key of the server's own, or with the caller's wallet. */
function listTools({ client, isLocal }: Pick<ToolContext, "client" | "isLocal">): readonly Tool[] {
  const own = client.wallet === null ? [...CALLER_TOOLS, ...(isLocal ? [FAUCET_TOOL] : [])] : WALLET_TOOLS;
  return [...READ_TOOLS, ...POLICY_TOOLS, ...own];
}

/** An error as a tool reports it: the code, what was wrong, and whether the same call may succeed later. */
function toFailure(error: unknown): { readonly [field: string]: unknown } {
  if (error instanceof ToolError || isApiError(error))
    return { ok: false, code: error.code, error: error.message, retryable: error.retryable, ...error.fields };
  if (error instanceof ArcadeError) return { ok: false, code: error.code, error: error.message, retryable: false };
  // Errors of the chain and of channels have a code and a text for the user; any other is not shown.
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if ((error as Error).name?.startsWith("Arcade") && typeof message === "string")
    return { ok: false, code: typeof code === "string" ? code : "FAILED", error: message, retryable: false };
  return { ok: false, code: "INTERNAL", error: "The tool failed; try again.", retryable: true };
}

const toResult = (body: object, isError: boolean) => ({
  content: [{ type: "text" as const, text: JSON.stringify(body) }],
  structuredContent: body as Record<string, unknown>,
  isError,
});

/** A server for one request, or for one stdio connection. */
export function createMcpServer(context: ToolContext, onError: (error: unknown) => void): McpServer {
  const server = new McpServer(INFO, { instructions: INSTRUCTIONS });
  for (const { name, description, input, writes, run } of listTools(context)) {
    const annotations = { readOnlyHint: !writes, openWorldHint: false };
    server.registerTool(name, { description, inputSchema: input, annotations }, async (given) => {
      try {
        return toResult(await run(given as Record<string, unknown>, context), false);
      } catch (error) {
        const failure = toFailure(error);
        if (failure.code === "INTERNAL") onError(error);
        return toResult(failure, true);
      }
    });
  }
  return server;
}
