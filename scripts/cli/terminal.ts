/** The output of a command: text for people, JSON for programs. */
import { getEnvironment } from "../../backend/config/environment.ts";
import { createStyle, type Style } from "./style.ts";

/** With `--json`, stdout holds only JSON and all text goes to stderr. */
export interface Terminal {
  readonly json: boolean;
  readonly style: Style;
  /** True if the output is a terminal, so that a line can be redrawn. */
  readonly isInteractive: boolean;
  readonly columns: number;
  readonly rows: number;
  print(line: string): void;
  /** Writes text without a line end, for a line that is redrawn. */
  draw(text: string): void;
  /** Writes one line of JSON to stdout; does nothing without `--json`. */
  printJson(value: unknown): void;
}

/** `hide` removes secrets from every text. */
export function createTerminal(json: boolean, hide: (text: string) => string = (text) => text): Terminal {
  const stream = json ? process.stderr : process.stdout;
  const { TERM, CI } = getEnvironment();
  return {
    json,
    style: createStyle(stream.isTTY === true),
    isInteractive: stream.isTTY === true && TERM !== "dumb" && CI === undefined,
    columns: stream.columns ?? 100,
    rows: stream.rows ?? 24,
    print: (line) => void stream.write(`${hide(line)}\n`),
    draw: (text) => void stream.write(hide(text)),
    printJson: (value) => {
      if (json) process.stdout.write(`${hide(JSON.stringify(value))}\n`);
    },
  };
}
