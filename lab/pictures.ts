/** `npm run lab -- pictures`: the pictures of the README and of link previews, from a real run of the whole service. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { toSitePath } from "../domain/site.ts";
import { defineCommand } from "../scripts/cli/command.ts";
import { EXIT } from "../scripts/cli/failures.ts";
import type { Terminal } from "../scripts/cli/terminal.ts";
import { resolveUserPath } from "../scripts/cli/user-paths.ts";
import { root } from "../scripts/start/build.ts";
import { launchBrowser, openPage } from "../test/web/support/browser.ts";
import { openSiteWorld, type SiteWorld } from "../test/web/support/site-world.ts";
import { takeAllPictures } from "./pictures/all-pages.ts";
import { fillWorld } from "./pictures/fill-world.ts";
import { renderTerminal } from "./pictures/terminal.ts";

interface Picture {
  /** The file, below the folder of pictures. */
  readonly file: string;
  readonly path: string;
  /** The element to wait for. */
  readonly ready: string;
  readonly width: number;
  readonly height: number;
}

const DESKTOP = { width: 1280, height: 800 } as const;
/** The size that previews of links expect. */
const PREVIEW = { width: 1200, height: 630 } as const;

const listPictures = ({ onChainRun, agent }: SiteWorld, liveId: string): readonly Picture[] => [
  { file: "home.png", path: "/", ready: '.stage [data-phase="running"]', ...DESKTOP },
  {
    file: "viewer.png",
    path: toSitePath("watch", { id: liveId }),
    ready: '.layout [data-phase="running"]',
    ...DESKTOP,
  },
  {
    file: "run.png",
    path: `${toSitePath("run", { id: onChainRun.sessionId })}?t=400`,
    ready: ".check-ok + .check-ok",
    ...DESKTOP,
  },
  { file: "game.png", path: toSitePath("game", { game: "shellrunners" }), ready: ".plot canvas", ...DESKTOP },
  { file: "agent.png", path: toSitePath("agent", { id: agent.agentId }), ready: ".tile img", ...DESKTOP },
  { file: "preview.png", path: "/", ready: '.stage [data-phase="running"]', ...PREVIEW },
];

async function takePicture(browser: Browser, world: SiteWorld, picture: Picture, folder: string): Promise<void> {
  const { width, height, path, ready, file } = picture;
  const origins = [world.url, new URL(world.stack.chain.rpcUrl).origin];
  const viewport = { width, height };
  const { page } = await openPage(browser, world.url + path, origins, { viewport, colorScheme: "dark" });
  await page.locator(ready).first().waitFor();
  await page.screenshot({ path: join(folder, file) });
  await page.context().close();
}

/** The output of `npm run agent`, from its start to the payout. */
function runAgent(url: string): Promise<string> {
  const args = [join(root, "scripts/run.mjs"), "agent", "--url", url, "--game", "flappybots", "--bot", "quick"];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(output) : reject(new Error(`the agent failed:\n${output}`))));
  });
}

/** The pictures of the README and of link previews. `isShort`: only the first one, into a temporary folder. */
async function takePictures(browser: Browser, world: SiteWorld, isShort: boolean, terminal: Terminal): Promise<string> {
  const folder = isShort ? await mkdtemp(join(tmpdir(), "arcade-pictures-")) : join(root, "docs/pictures");
  await mkdir(folder, { recursive: true });
  const live = await world.startLiveRun("shellrunners");
  const pictures = listPictures(world, live.sessionId);
  for (const picture of isShort ? pictures.slice(0, 1) : pictures) {
    const target = picture.file === "preview.png" ? join(root, "web/public") : folder;
    await takePicture(browser, world, picture, target);
    terminal.print(`wrote ${join(target, picture.file)}`);
  }
  if (isShort) return folder;
  await writeFile(join(folder, "terminal.svg"), renderTerminal(await runAgent(world.url)));
  terminal.print(`wrote ${join(folder, "terminal.svg")}`);
  return folder;
}

export const command = defineCommand({
  name: "lab pictures",
  summary: "makes the pictures of docs/pictures and of link previews from a real run",
  flags: {
    short: { type: "boolean", help: "only the first page, into a temporary folder, as a test" },
    all: { type: "string", value: "DIR", help: "instead, every page in four sizes and two schemes, into DIR" },
    page: {
      type: "string",
      value: "NAME",
      help: "with --all: only pages whose name begins with NAME, such as console",
      default: "",
    },
  },
  examples: [
    "npm run lab -- pictures",
    "npm run lab -- pictures --short",
    "npm run lab -- pictures --all /tmp/pages --page watch",
  ],
  notes: ["Needs a Chromium: ARCADE_CHROMIUM, /usr/bin/chromium when absent."],
  async run({ flags }, terminal) {
    const isShort = flags.short === true;
    const world = await openSiteWorld({ agentName: "Kestrel" });
    const browser = await launchBrowser();
    try {
      if (!isShort) await fillWorld(world);
      await world.startLiveRun("flappybots", "Dunlin");
      if (flags.all === undefined) {
        const folder = await takePictures(browser, world, isShort, terminal);
        terminal.printJson({ ok: true, folder });
        return EXIT.ok;
      }
      const folder = resolveUserPath(flags.all);
      await takeAllPictures({ browser, world }, { folder, prefix: flags.page ?? "" }, (file) =>
        terminal.print(`wrote ${file}`),
      );
      terminal.printJson({ ok: true, folder });
    } finally {
      await browser.close();
      await world.close();
    }
    return EXIT.ok;
  },
});
