// Starts a command of this folder: `node scripts/run.mjs NAME …`. Plain JavaScript, so that an old Node can read it.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `This command needs Node 22.18 or later, this is ${process.versions.node}.\n` +
      "Run it through npm (`npm run …`): `npm ci` installs a Node 24 that npm puts first.\n" +
      "If npm still finds an old one, its platform package is missing: install Node 24 by hand.",
  );
  process.exit(2);
}
const [, , name] = process.argv;
process.argv.splice(2, 1);
await import(new URL(`./${name}.ts`, import.meta.url).href);
