import { expect } from "chai";
import { startBackendProcess } from "../../scripts/fleet/backend-process.ts";

/** A program that reports that it is ready, and runs `onTerm` when it has to end. */
const createCommand = (onTerm: string): readonly string[] => [
  process.execPath,
  "-e",
  `process.on("SIGTERM", () => { ${onTerm} });
  setInterval(() => {}, 1000);
  console.log(JSON.stringify({ msg: "ready", httpUrl: "http://127.0.0.1:1" }));`,
];
/** Logged as a warning, which the user sees. */
const PRINT = 'console.log(JSON.stringify({ level: 40, msg: "ended in order" }));';

describe("a backend of npm run fleet", () => {
  async function stop(onTerm: string, stopTimeoutMs?: number): Promise<readonly string[]> {
    const messages: string[] = [];
    const backend = startBackendProcess({
      number: 1,
      env: process.env,
      onMessage: (text: string) => messages.push(text),
      command: createCommand(onTerm),
      ...(stopTimeoutMs === undefined ? {} : { stopTimeoutMs }),
    });
    await backend.waitUntilReady();
    // Resolves when the program has closed its output, at its end.
    await backend.stop();
    return messages;
  }

  it("is told to end, and gets time for it", async () => {
    expect(await stop(`setTimeout(() => { ${PRINT} process.exit(0); }, 300);`)).to.deep.equal([
      "backend 1: ended in order",
    ]);
  });

  it("is ended by force when it does not end", async () => {
    expect(await stop("", 100)).to.deep.equal([]);
  });
});
