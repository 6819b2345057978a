/** Preloaded into every process of a fleet (`--import`): changes the lines of the safeguard that `DRILL_PLANT` names. */
import { changeOnLoad, type SourceChange } from "../../planted/source-change.ts";

const change = (file: string, line: string, replacement: string): SourceChange => ({ file, line, replacement });

const ROWS = "backend/adapters/store/sessions/rows.ts";
const LEASE = "backend/adapters/store/nodes/node-lease.ts";
const REMOTE_SESSION = "backend/adapters/live-plane/remote-session.ts";

export const FLEET_FAULTS: { readonly [name: string]: readonly SourceChange[] } = {
  "fencing off": [change(ROWS, "owner === null ?", "true ?")],
  "lease never checked": [
    change(LEASE, "return !this.#isLost && (", "return true || ("),
    change(LEASE, "if (!this.#isLost && (await isNodeValid(db, this.nodeId))) return;", "return;"),
    change(LEASE, "if (this.#isLost || this.#isReleased) return;\n      const", "return;\n      const"),
  ],
  "frames published before the epoch is known": [
    change(
      REMOTE_SESSION,
      "if (host === null || ",
      "if ((host === null && data[0] === JSON_BEGIN) || data.length === 0 && ",
    ),
    change(REMOTE_SESSION, "this.#onControl(control, host.id)", "this.#onControl(control, host!.id)"),
  ],
};

const changes = FLEET_FAULTS[process.env.DRILL_PLANT ?? ""];
if (changes !== undefined) changeOnLoad(changes);
