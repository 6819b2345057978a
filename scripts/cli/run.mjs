import { fileURLToPath } from "node:url";

// Starts a command: `node scripts/cli/run.mjs agent …`. Plain JavaScript, so that an old Node can still say what is
// wrong: it cannot read TypeScript, and better-sqlite3 crashes it without a word.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const isNewEnough = major > 22 || (major === 22 && minor >= 18);
if (!isNewEnough) {
  process.stderr.write(
    `Expected Node 22.18 or newer, this is ${process.versions.node}.\n` +
      "Run it as `npm run …` after `npm ci`: on Linux that brings its own Node 24. Elsewhere install Node 24.\n",
  );
  process.exit(1);
}
const [, , name = "", ...rest] = process.argv;
if (!/^[a-z][a-z-]*$/.test(name)) {
  process.stderr.write("Expected the name of a command: node scripts/cli/run.mjs <command> [flags]\n");
  process.exit(2);
}
process.argv = [process.argv[0], fileURLToPath(new URL(`../${name}.ts`, import.meta.url)), ...rest];
await import(`../${name}.ts`);
