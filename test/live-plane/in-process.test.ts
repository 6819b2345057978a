import { startLiveTestServer } from "../live/live-suite.ts";
import { describeLivePlane } from "./suite.ts";

describeLivePlane("in process", async () => {
  const server = await startLiveTestServer();
  return { owner: server, edge: server, settle: async () => {}, stop: () => server.stop() };
});
