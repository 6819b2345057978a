/** Derives recorded sessions again in a process of its own: a JSON list of them on stdin, of differences on stdout. */
import { text } from "node:stream/consumers";
import { verifyReplay } from "../../client/verify-replay.ts";
import type { RecordedSession } from "./recorded-session.ts";

const sessions = JSON.parse(await text(process.stdin)) as readonly RecordedSession[];
const differences: (readonly string[])[] = [];
for (const { replay, claims } of sessions) {
  const verdict = await verifyReplay(replay, claims);
  differences.push(verdict.differences.map(({ field }) => field));
}
process.stdout.write(JSON.stringify(differences));
