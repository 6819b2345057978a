/** The suites of tests that `npm test` leaves out, each as patterns of files; `.ci/run` runs every one. */
export const SUITES = {
  authors: [
    "test/client/{package,contracts-package}.slow.ts",
    "test/client-python/*.slow.ts",
    "test/examples/*.slow.ts",
    "test/mcp/*.slow.ts",
    "test/adapters/policies/*.slow.ts",
    "test/testing/*.slow.ts",
  ],
  browser: ["test/web/*.browser.ts"],
  deploy: ["test/deploy/*.slow.ts"],
  faults: [
    "test/flows/{restart,compile-cache,durable,node-away,idle-chain,takeover,secrets-in-output,races}.slow.ts",
    "test/http/*.slow.ts",
    "test/http/rewards/*.slow.ts",
    "test/adapters/chain/*.slow.ts",
    "test/scripts/*.slow.ts",
  ],
  fleet: [
    "test/flows/{database-away,fleet,fleet-command,roles,stale-reads,stopped-backend,postgres-backup,two-versions}.slow.ts",
    "test/adapters/store/*.slow.ts",
  ],
  habitats: ["test/habitats/*.slow.ts"],
  nats: ["test/live-plane/*.slow.ts"],
  "new-game": ["test/games/{new-game,third-game}.slow.ts", "test/architecture/*.slow.ts"],
  postgres: ["test/adapters/store/**/*.test.ts"],
  properties: ["test/games/{passable,rules-text}.slow.ts", "test/lab/**/*.slow.ts"],
  smoke: ["test/flows/smoke.slow.ts"],
} as const satisfies { readonly [name: string]: readonly string[] };

export const isSuite = (name: string): name is keyof typeof SUITES => Object.hasOwn(SUITES, name);
