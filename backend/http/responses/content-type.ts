/** The content type of the envelope. */
export const ENVELOPE_TYPE = "application/json; charset=utf-8";

/** The content type of a text document; HTML by default, as in Express. */
export const withCharset = (contentType = "text/html"): string =>
  contentType.includes("charset") ? contentType : `${contentType}; charset=utf-8`;
