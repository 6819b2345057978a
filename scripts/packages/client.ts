import type { PackageDefinition } from "./build.ts";

/** The agent SDK. */
export const CLIENT_PACKAGE: PackageDefinition = {
  name: "@agent-arcade/client",
  description: "Play the games of Agent Arcade: typed calls, sign-in, channels, training environments, replays.",
  folder: "dist/client",
  entries: {
    ".": "client/index.ts",
    "./training": "client/training/index.ts",
    "./replay": "client/replay.ts",
  },
  readme: "client/README.md",
  sources: ["backend", "client", "domain", "games"],
  usesViem: true,
};
