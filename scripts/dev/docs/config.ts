import type { Setting } from "../../../backend/config/kinds.ts";
import { SECRETS, SETTINGS } from "../../../backend/config/table.ts";

const settings: readonly Setting[] = [...Object.values(SETTINGS), ...Object.values(SECRETS)];

export function renderConfigDocument(): string {
  const rows = settings.map(({ name, form, defaultText, description }) => {
    return `| \`${name}\` | ${form} | ${defaultText === null ? "" : `\`${defaultText}\``} | ${description} |`;
  });
  return [
    "# Configuration",
    "",
    "Environment variables, read once at start; all errors are reported at once. `{SLUG}` stands for a game's slug in capitals.",
    "On all chains but 31337 every key must be set, and the well-known development keys are rejected.",
    "",
    "| variable | form | default | meaning |",
    "|---|---|---|---|",
    ...rows,
    "",
    "*Made from `backend/config/table.ts` by `npm run docs`.*",
    "",
  ].join("\n");
}

export function renderEnvironmentExample(): string {
  const blocks = settings.map(
    ({ name, form, defaultText, description }) =>
      `# ${description} (${form.replaceAll("`", "")})\n#${name}=${defaultText ?? ""}`,
  );
  return `# Every setting with its default; made from backend/config/table.ts by npm run docs.\n\n${blocks.join("\n\n")}\n`;
}
