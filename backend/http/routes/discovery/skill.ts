import { documentRoute } from "./document.ts";

export const discoverySkill = documentRoute({
  name: "discovery.skill",
  path: "/skill.md",
  summary: "The service as a skill for a language model",
  media: "text/markdown",
  text: ({ instructions }) => instructions.skill(),
});
