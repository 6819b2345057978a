/**
 * Preloaded into every process of a fleet (`--import`): changes the sources of the safeguard that `DRILL_PLANT` names. A
 * text that is not there any more is an error, so that no fault is planted in vain.
 */
import { registerHooks } from "node:module";

export interface Fault {
  /** Ends the path of the module. */
  readonly file: string;
  /** Each text and what takes its place. */
  readonly changes: readonly (readonly [string, string])[];
}

export const FLEET_FAULTS: { readonly [name: string]: Fault } = {
  "fencing off": {
    file: "backend/adapters/store/sessions/rows.ts",
    changes: [["owner === null ?", "true ?"]],
  },
  "lease never checked": {
    file: "backend/adapters/store/nodes/node-lease.ts",
    changes: [
      ["return !this.#isLost && (", "return true || ("],
      ["if (!this.#isLost && (await isNodeValid(db, this.nodeId))) return;", "return;"],
      ["if (this.#isLost || this.#isReleased) return;", "return;"],
    ],
  },
  "frames published before the epoch is known": {
    file: "backend/adapters/live-plane/remote-session.ts",
    changes: [
      ["if (host === null || ", "if ((host === null && data[0] === JSON_BEGIN) || data.length === 0 && "],
      ["this.#onControl(control, host.id)", "this.#onControl(control, host!.id)"],
    ],
  },
};

const fault = FLEET_FAULTS[process.env.DRILL_PLANT ?? ""];
if (fault !== undefined)
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(fault.file)) return loaded;
      let source = String(loaded.source);
      for (const [text, replacement] of fault.changes) {
        if (!source.includes(text)) throw new Error(`${fault.file} has no "${text}"`);
        source = source.replace(text, () => replacement);
      }
      return { ...loaded, source };
    },
  });
