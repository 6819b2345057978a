/** Access keys in node URLs, which no output may show. */
import { unquote } from "../../backend/config/config.ts";
import type { Environment } from "../../backend/config/environment.ts";
import { readSecretText } from "../../backend/config/private-keys.ts";
import { UsageError } from "./failures.ts";

const NODE_FLAG = "--rpc";
const HIDDEN = "…";
/** Shorter parts, such as `/v2`, are not secrets and occur in other words. */
const SECRET_MIN_LENGTH = 6;

/** The text of `ARCADE_RPC_URL`, which may be in a file. Throws `UsageError` if the file cannot be read. */
export function readNodeSetting({ ARCADE_RPC_URL }: Environment): string {
  try {
    return readSecretText("ARCADE_RPC_URL", unquote(ARCADE_RPC_URL));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readNodeUrls(environment: Environment): readonly string[] {
  try {
    return readNodeSetting(environment).split(",");
  } catch {
    return [];
  }
}

/** The node URLs that a command got: in its flags and in `ARCADE_RPC_URL`. */
export function listNodeUrls(argv: readonly string[], environment: Environment): readonly string[] {
  const given = argv.flatMap((text, index) => {
    if (text === NODE_FLAG) return [argv[index + 1] ?? ""];
    return text.startsWith(`${NODE_FLAG}=`) ? [text.slice(NODE_FLAG.length + 1)] : [];
  });
  const configured = readNodeUrls(environment).map((text) => text.trim());
  return [...given, ...configured].filter((text) => URL.canParse(text));
}

/** The parts of a URL that may be a key: path, query, user and password, and their parts. */
function listSecretParts(nodeUrl: string): readonly string[] {
  const { pathname, search, searchParams, username, password } = new URL(nodeUrl);
  const parts = [`${pathname}${search}`, pathname, search, ...pathname.split("/"), ...searchParams.values()];
  return [...parts, username, password, decodeURIComponent(password)]
    .filter((part) => part.length >= SECRET_MIN_LENGTH)
    .sort((a, b) => b.length - a.length);
}

/** Removes the keys of nodes from a text and keeps their hosts. */
export const hideNodeKeys = (text: string, nodeUrls: readonly string[]): string =>
  nodeUrls.flatMap(listSecretParts).reduce((hidden, part) => hidden.replaceAll(part, HIDDEN), text);
