/** All services that route handlers may use, by name. */
import type { ServedGuide } from "../../../domain/guides.ts";
import type { Services } from "../../services/services.ts";
import type { InstructionsView, Namespace } from "../instructions/view.ts";

/** The documents that describe the interface, each created once from the tables; complete texts, ready to send. */
export interface Documents {
  /** OpenAPI 3.1 as JSON. */
  openapi(): string;
  /** AsyncAPI 3.0 as JSON. */
  asyncapi(): string;
  /** The reference as one HTML page without scripts. */
  docsPage(): string;
  /** A guide of `docs/` as Markdown. */
  guide(name: ServedGuide): string;
  /** Every error code with an anchor, to which a problem's `type` refers. */
  errorsPage(): string;
}

/** What an agent reads first: its steps as data, and as text for a language model. */
export interface Instructions {
  /** The steps of a namespace (null: all), for one game or any (`slug` null). */
  toJson(namespace: Namespace | null, slug: string | null): InstructionsView;
  toMarkdown(namespace: Namespace | null, slug: string | null): string;
  /** All steps as a skill file: front matter, then the text. */
  toSkill(): string;
  /** The map of the service's documents (https://llmstxt.org). */
  toLlmsText(): string;
}

export interface HandlerServices extends Services {
  readonly documents: Documents;
  readonly instructions: Instructions;
}
