/** The package for Python as an author gets it: the files of the wheel in a folder. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command } from "../../scripts/pack-python.ts";
import { callCommand } from "../helpers/commands.ts";
import { requirePython } from "../helpers/python.ts";

export const python = requirePython();

/** Builds the wheel and unpacks it. */
export async function unpackWheel() {
  const folder = mkdtempSync(join(tmpdir(), "arcade-python-"));
  const { code, err, json } = await callCommand(command, ["--out", folder, "--json"]);
  if (code !== 0) throw new Error(err);
  const wheel: string = json.file;
  const path = join(folder, "unpacked");
  execFileSync(python, ["-m", "zipfile", "-e", wheel, path]);
  return {
    wheel,
    folder: path,
    env: { PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: "1" },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export type UnpackedWheel = Awaited<ReturnType<typeof unpackWheel>>;
