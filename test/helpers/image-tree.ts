/** The image's files, made without a container engine by the steps of the Dockerfile's last stage. */
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildSite, root } from "../../scripts/start/build.ts";

/** The packages that `npm ci --omit=dev --omit=optional` installs, by their folders in the lockfile. */
function copyPackages(target: string): void {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: { readonly [path: string]: Partial<Record<"dev" | "optional" | "devOptional", true>> };
  };
  const isLeftOut = (path: string): boolean => {
    const { dev, optional, devOptional } = packages[path] ?? {};
    return dev === true || optional === true || devOptional === true;
  };
  for (const path of Object.keys(packages)) {
    if (path === "" || isLeftOut(path) || !existsSync(join(root, path))) continue;
    cpSync(join(root, path), join(target, path.slice("node_modules/".length)), {
      recursive: true,
      // Nested packages have separate entries.
      filter: (source) => !source.slice(join(root, path).length).includes("node_modules"),
    });
  }
}

/** Creates the tree in `folder`, readable but not writable for every user. */
export async function makeImageTree(folder: string): Promise<void> {
  await buildSite();
  const text = readFileSync(join(root, "deploy/fleet/Dockerfile"), "utf8");
  for (const [, line] of text.slice(text.lastIndexOf("\nFROM")).matchAll(/^COPY (.+)$/gm)) {
    const words = line!.split(" ").filter((word) => !word.startsWith("--"));
    const destination = words.pop()!;
    for (const source of words) {
      if (source === "/build/node_modules") {
        copyPackages(join(folder, destination));
        continue;
      }
      const path = source.replace(/^\/build\//, "");
      const target = destination === "./" ? join(folder, path) : join(folder, destination);
      mkdirSync(dirname(target), { recursive: true });
      cpSync(join(root, path), target, { recursive: true });
    }
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    chmodSync(path, entry.isDirectory() || entry.name === "node" ? 0o555 : 0o444);
  }
  chmodSync(folder, 0o555);
}
