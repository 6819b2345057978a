/** The documents that describe the service, made once from the tables; whole texts, ready to send. */
export interface Documents {
  /** OpenAPI 3.1 as JSON. */
  openapi(): string;
  /** AsyncAPI 3.0 as JSON. */
  asyncapi(): string;
  /** The reference as one HTML page without scripts. */
  docsPage(): string;
  /** Every error code, with an anchor each: where a problem's `type` points. */
  errorsPage(): string;
}
