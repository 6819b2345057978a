/** JSON over HTTP by `node:http`, which takes about half of the CPU that `fetch` takes. */
import { type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

/** A body is longer than the caller takes. */
export class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLargeError";

  constructor(bytesMax: number) {
    super(`the body has more than ${bytesMax} bytes`);
  }
}

/** No complete response came in time. */
export class ResponseTimeoutError extends Error {
  override readonly name = "ResponseTimeoutError";

  constructor(timeoutMs: number) {
    super(`no complete response came within ${timeoutMs} ms`);
  }
}

interface JsonPost {
  /** Without user and password. */
  readonly url: URL;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  /** The longest that the request may take, from the connection to the last byte of the response. */
  readonly timeoutMs: number;
  /** The most bytes of the response's body. */
  readonly bytesMax: number;
}

interface TextResponse {
  /** Whether the status is a success. */
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly text: string;
}

const HEADERS = {
  Accept: "application/json",
  // Most responses are short, and a decompressed one would need a second bound.
  "Accept-Encoding": "identity",
  "Content-Type": "application/json",
  // Some gateways reject requests without one.
  "User-Agent": "agent-arcade",
};

/**
 * Sends a request over a connection that is kept for the next ones, and reads its response. A redirect is a response
 * like any other, and is not followed. Throws `BodyTooLargeError`, `ResponseTimeoutError` (both close the connection)
 * and the errors of the connection.
 */
export function postJson({ url, headers, body, timeoutMs, bytesMax }: JsonPost): Promise<TextResponse> {
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const options: RequestOptions = { method: "POST", headers: { ...HEADERS, ...headers } };
  return new Promise((resolve, reject) => {
    const request = send(url, options);
    const fail = (error: Error): void => {
      clearTimeout(deadline);
      reject(error);
      request.destroy();
    };
    const deadline = setTimeout(() => fail(new ResponseTimeoutError(timeoutMs)), timeoutMs);
    request.on("error", fail);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > bytesMax) fail(new BodyTooLargeError(bytesMax));
        else chunks.push(chunk);
      });
      response.on("error", fail);
      response.on("end", () => {
        clearTimeout(deadline);
        const { statusCode: status = 0, statusMessage: statusText = "" } = response;
        const ok = status >= 200 && status < 300;
        resolve({ ok, status, statusText, text: Buffer.concat(chunks).toString("utf8") });
      });
    });
    request.end(body);
  });
}
