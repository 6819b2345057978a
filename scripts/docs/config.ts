import { SETTINGS, type Setting } from "../../backend/config/table.ts";

const settings: readonly Setting[] = SETTINGS;

const formOf = ({ kind, choices, min, max }: Setting): string => {
  if (kind === "choice") return choices?.map((choice) => `\`${choice}\``).join(" or ") ?? "";
  if (kind === "integer" && max !== undefined) return `integer, ${min ?? 0} to ${max}`;
  return kind === "secret" ? "key" : kind;
};

export function configDocument(): string {
  const rows = settings.map((setting) => {
    const fallback = setting.fallback === null ? "" : `\`${setting.fallback}\``;
    return `| \`${setting.name}\` | ${formOf(setting)} | ${fallback} | ${setting.sentence} |`;
  });
  return [
    "# Configuration",
    "",
    "Environment variables, read once at start; every fault is reported at once. `{SLUG}` stands for a game's slug in capitals.",
    "On any chain but 31337 every key must be set, and the well-known development keys are refused.",
    "",
    "| variable | form | default | meaning |",
    "|---|---|---|---|",
    ...rows,
    "",
    "*Made from `backend/config/table.ts` by `npm run docs`.*",
    "",
  ].join("\n");
}

export function environmentExample(): string {
  const blocks = settings.map(
    (setting) =>
      `# ${setting.sentence} (${formOf(setting).replaceAll("`", "")})\n#${setting.name}=${setting.fallback ?? ""}`,
  );
  return `# Every setting with its default; made from backend/config/table.ts by npm run docs.\n\n${blocks.join("\n\n")}\n`;
}
