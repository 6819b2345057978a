/** The idle side: it answers each request at once with an empty document, and does none of the work. */
import { listen, serveSide } from "../server/process.ts";

serveSide(() =>
  listen((request, response) => {
    request.resume();
    response.setHeader("Content-Length", 2);
    response.end("{}");
  }),
);
