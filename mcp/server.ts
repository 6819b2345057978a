/** The MCP server: the tools for a caller, and their answers and errors. */
import { McpServer } from "@modelcontextprotocol/server";
import { isApiError } from "../client/errors.ts";
import { ArcadeError } from "../domain/errors.ts";
import type { ToolContext } from "./context.ts";
import { ToolError } from "./errors.ts";
import { CALLER_TOOLS, FAUCET_TOOL } from "./tools/caller-tools.ts";
import type { Tool } from "./tools/define-tool.ts";
import { LEAGUE_TOOLS, POLICY_TOOLS } from "./tools/policy-tools.ts";
import { READ_TOOLS } from "./tools/read-tools.ts";
import { toInputSchema, toOutputSchema } from "./tools/tool-schema.ts";
import { WALLET_TOOLS } from "./tools/wallet-tools.ts";

const INFO = { name: "agent-arcade", title: "Agent Arcade", version: "1.0.0" };
const INSTRUCTIONS =
  "Real-time games for agents. list_games, describe_game, write a policy, simulate and improve it; then register, sign_in (if listed), play, snapshot, payout.";

/** The caller's tools: those of a server with its own key, or those for a caller with its own wallet. */
function listTools({
  client,
  isLocal,
  hasLeague,
}: Pick<ToolContext, "client" | "isLocal" | "hasLeague">): readonly Tool[] {
  const own = client.wallet === null ? [...CALLER_TOOLS, ...(isLocal ? [FAUCET_TOOL] : [])] : WALLET_TOOLS;
  return [...READ_TOOLS, ...POLICY_TOOLS, ...(hasLeague ? LEAGUE_TOOLS : []), ...own];
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

/** `list_games` is "List games". */
const toTitle = (name: string): string => `${name[0]!.toUpperCase()}${name.slice(1).replaceAll("_", " ")}`;

const createListing = ({ name, description, input, output, writes }: Tool) => ({
  title: toTitle(name),
  description,
  inputSchema: toInputSchema(input),
  outputSchema: toOutputSchema(output),
  annotations: { title: toTitle(name), readOnlyHint: !writes, openWorldHint: false },
});

/** Converted once: the schemas of all tools take 15 ms, and each request gets a server. */
const listings = new Map<Tool, ReturnType<typeof createListing>>();

function getListing(tool: Tool): ReturnType<typeof createListing> {
  const listing = listings.get(tool) ?? createListing(tool);
  listings.set(tool, listing);
  return listing;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An argument in the type of its schema: models write numbers and objects as text, and ids as numbers. */
function toExpectedType(given: unknown, schema: Tool["input"]["shape"][string]): unknown {
  if (schema.safeParse(given).success) return given;
  const other = typeof given === "string" ? parseJson(given) : Number.isSafeInteger(given) ? String(given) : undefined;
  return schema.safeParse(other).success ? (other ?? given) : given;
}

/** Drops optional arguments that are null: models that must pass every argument omit one this way. */
const toArguments = (given: object, { shape }: Tool["input"]): object =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (schema === undefined) return [[name, value]];
      if (value === null && schema.safeParse(undefined).success) return [];
      return [[name, toExpectedType(value, schema)]];
    }),
  );

/** The tool's input. Throws `ToolError` with the path of every issue. */
function parseInput({ name, input }: Tool, given: unknown): Record<string, unknown> {
  const parsed = input.safeParse(
    typeof given === "object" && given !== null ? toArguments(given, input) : (given ?? {}),
  );
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  const isUnknown = parsed.error.issues.every(({ code }) => code === "unrecognized_keys");
  const texts = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  const known = Object.keys(input.shape);
  throw new ToolError(
    isUnknown ? "UNKNOWN_FIELD" : "VALIDATION_FAILED",
    `The arguments of ${name} do not fit: ${texts.join("; ")}. It takes ${known.length === 0 ? "none" : known.join(", ")}.`,
    { issues },
  );
}

/** A server for one request, or for one stdio connection. */
export function createMcpServer(context: ToolContext, onError: (error: unknown) => void): McpServer {
  const server = new McpServer(INFO, { instructions: INSTRUCTIONS });
  for (const tool of listTools(context)) {
    server.registerTool(tool.name, getListing(tool), async (given: unknown) => {
      try {
        return toResult(await tool.run(parseInput(tool, given), context), false);
      } catch (error) {
        const failure = toFailure(error);
        if (failure.code === "INTERNAL") onError(error);
        return toResult(failure, true);
      }
    });
  }
  return server;
}
