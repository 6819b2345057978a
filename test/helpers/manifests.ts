import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** The Kubernetes manifests of `deploy/fleet`, with their anchors and merges resolved as kubectl does. */
export const readManifests = () =>
  parse(readFileSync(new URL("../../deploy/fleet/kubernetes.yaml", import.meta.url), "utf8"), { merge: true });
