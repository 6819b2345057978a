import { request as sendHttp } from "node:http";

export interface RawResponse {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly bytes: Buffer;
}

/** Sends a request without the headers and the decompression that `fetch` adds. */
export const readRaw = (url: string, headers = {}, method = "GET", body = ""): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    sendHttp(url, { headers, method }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    })
      .on("error", reject)
      .end(body);
  });
