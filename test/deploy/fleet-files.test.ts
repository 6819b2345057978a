import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { readConfig } from "../../backend/config/config.ts";
import { SECRETS, toGameVariable } from "../../backend/config/table.ts";
import { routes } from "../../backend/http/routes/index.ts";
import { ROLES } from "../../domain/roles.ts";
import { games } from "../../games/index.ts";
import { root } from "../../scripts/start/build.ts";

const folder = join(root, "deploy/fleet");
const read = (name: string): string => readFileSync(join(folder, name), "utf8");

const URLS = {
  ARCADE_RPC_URL: "https://rpc.example",
  ARCADE_DATABASE_URL: "postgres://arcade@10.0.0.5/arcade",
  ARCADE_NATS_URL: "nats://10.0.0.5:4222",
};
/** Values that the operator provides. */
const GIVEN: { readonly [name: string]: string } = {
  ARCADE_PUBLIC_URL: "https://arcade.example",
  ...URLS,
  ARCADE_DATABASE_PASSWORD: "secret",
  ARCADE_NATS_PASSWORD: "secret",
};
/** The token of a remote signer is left out, since these fleets sign with their own keys. */
const KEYS = Object.values(SECRETS)
  .filter(({ name }) => name !== SECRETS.signerToken.name)
  .flatMap(({ name }) => (name.includes("{SLUG}") ? games.map(({ slug }) => toGameVariable(name, slug)) : [name]));

/** The settings are valid, every key comes from a file, and the backends share one database. */
function expectFleetSettings(env: { readonly [name: string]: string }): void {
  const config = readConfig(env);
  expect(config.natsUrl).to.match(/^nats:/);
  expect(config.databaseUrl).to.match(/^postgres:/);
  expect(config.trustProxy, "the balancer's address is not the client's").to.equal(1);
  for (const key of KEYS) expect(env[key], key).to.match(/^@.+/);
}

const fillIn = (environment: { readonly [name: string]: string }) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{(\w+):\?\}/g, (_, given: string) => GIVEN[given]!),
    ]),
  );

/** What the tests read of the files; `npm run lab -- external-validators` compares them with the published schemas. */
interface ComposeService {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: { readonly [name: string]: string };
  readonly command?: readonly string[];
  readonly secrets?: readonly string[];
  readonly configs?: readonly { readonly source: string }[];
  readonly volumes?: readonly string[];
  readonly depends_on?: object;
}
interface Compose {
  readonly services: { readonly [name: string]: ComposeService };
  readonly secrets: object;
  readonly configs: { readonly [name: string]: { readonly file: string } };
  readonly volumes: object;
}
const compose = JSON.parse(read("compose.json")) as Compose;
// JSON, which both kubectl and programs without a YAML parser can read.
// biome-ignore lint/suspicious/noExplicitAny: the API's own types are those of lab/external-validators
const { items } = JSON.parse(read("kubernetes.json")) as { readonly items: readonly any[] };
const find = (kind: string) => items.filter((item) => item.kind === kind);

const isRoute = (path: string): boolean => routes.some((route) => route.path === path);

describe("the files of deploy/fleet", () => {
  it("compose.json refers only to its own definitions, and has settings of a fleet", () => {
    const { services, secrets, configs, volumes } = compose;
    for (const one of Object.values(services)) {
      for (const secret of one.secrets ?? []) expect(secrets).to.have.property(secret);
      for (const { source } of one.configs ?? []) expect(configs).to.have.property(source);
      for (const volume of one.volumes ?? []) expect(volumes).to.have.property(volume.split(":")[0]!);
      for (const name of Object.keys(one.depends_on ?? {})) expect(services).to.have.property(name);
    }
    for (const { file } of Object.values(configs)) expect(existsSync(join(folder, file)), file).to.equal(true);
    const { build, environment = {}, secrets: mounted = [] } = services.backend!;
    expect(existsSync(join(folder, build!.context, build!.dockerfile))).to.equal(true);
    const env = fillIn(environment);
    expectFleetSettings(env);
    for (const key of KEYS) expect(mounted).to.include(env[key]!.replace("@/run/secrets/", ""));
  });

  it("compose.json gives minimal privileges, and pins every image", () => {
    for (const [name, one] of Object.entries(compose.services)) {
      // PostgreSQL's image changes its user, and the owner of its data.
      if (name !== "postgres")
        expect(one, name).to.deep.include({
          read_only: true,
          cap_drop: ["ALL"],
          security_opt: ["no-new-privileges:true"],
        });
      if (one.build === undefined) expect(one.image, name).to.match(/@\$\{\w+:\?\}$/);
    }
    const { ARCADE_DATABASE_URL, ARCADE_NATS_URL } = compose.services.backend!.environment!;
    expect(ARCADE_DATABASE_URL, "no superuser").to.match(/^postgres:\/\/arcade:/);
    expect(ARCADE_NATS_URL, "with credentials").to.match(/^nats:\/\/arcade:\$/);
    expect(compose.services.nats!.command).to.include("--pass");
  });

  it("haproxy.cfg checks a path of the service, and reaches the backends of compose.json", () => {
    const text = read("haproxy.cfg");
    expect(isRoute(/option httpchk GET (\S+)/.exec(text)![1]!)).to.equal(true);
    const [, name, port] = /server-template \w+ \d+ (\w+):(\d+)/.exec(text)!;
    expect(compose.services[name!]!.environment).to.include({ ARCADE_PORT: port });
  });

  it("kubernetes.json runs every role, and its parts fit together", () => {
    const settings = find("ConfigMap")[0]!.data!;
    const deployments = find("Deployment");
    const roles = deployments.flatMap(({ spec }) => spec.template.spec.containers[0]!.env[0]!.value.split(","));
    expect(roles).to.have.members([...ROLES]);
    for (const { spec } of deployments) {
      const [backend] = spec.template.spec.containers;
      expectFleetSettings({ ...settings, ARCADE_ROLES: backend!.env[0]!.value, ...URLS });
      expect(settings.ARCADE_PORT).to.equal(String(backend!.ports[0]!.containerPort));
      for (const { httpGet } of [backend!.startupProbe, backend!.livenessProbe, backend!.readinessProbe])
        expect(isRoute(httpGet.path), httpGet.path).to.equal(true);
      const volumes = spec.template.spec.volumes.map(({ name }: { name: string }) => name);
      expect(backend!.volumeMounts.map(({ name }: { name: string }) => name)).to.have.members(volumes);
      expect(spec.selector.matchLabels).to.deep.equal(spec.template.metadata.labels);
    }
    const labels = deployments.map(({ spec }) => JSON.stringify(spec.selector.matchLabels));
    for (const { spec } of [...find("Service"), ...find("PodDisruptionBudget")])
      expect(labels).to.include(JSON.stringify(spec.selector.matchLabels ?? spec.selector));
    const names = deployments.map(({ metadata }) => metadata.name);
    for (const { spec } of find("HorizontalPodAutoscaler")) expect(names).to.include(spec.scaleTargetRef!.name);
    const services = find("Service").map(({ metadata }) => metadata.name);
    const paths = find("Ingress")[0]!.spec.rules![0]!.http.paths;
    for (const { backend } of paths) expect(services).to.include(backend.service.name);
    for (const { slug } of games)
      expect(paths.map(({ path }: { path: string }) => path)).to.include.members([
        `/ws/${slug}/play`,
        `/ws/${slug}/spectate`,
      ]);
  });

  /** The restricted profile of https://kubernetes.io/docs/concepts/security/pod-security-standards/, and more. */
  it("kubernetes.json follows the restricted profile, limits a pod's resources, and pins the image", () => {
    for (const { metadata, spec } of find("Deployment")) {
      const { containers, volumes, securityContext, ...pod } = spec.template.spec;
      expect(pod, metadata.name).to.deep.include({ enableServiceLinks: false, automountServiceAccountToken: false });
      expect(pod.topologySpreadConstraints).to.have.length(1);
      expect(securityContext).to.deep.include({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
      const [{ image, resources, ...backend }] = containers;
      expect(backend.securityContext).to.deep.equal({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      });
      expect(image).to.match(/@sha256:[0-9a-f]{64}$/);
      expect(resources.requests).to.have.all.keys("cpu", "memory");
      expect(resources.limits).to.have.property("memory");
      for (const { secret } of volumes) if (secret !== undefined) expect(secret.defaultMode).to.equal(0o440);
    }
    const [policy] = find("NetworkPolicy");
    expect(policy!.spec.policyTypes).to.deep.equal(["Ingress", "Egress"]);
    expect(find("PodDisruptionBudget")).to.have.length(find("Deployment").length);
  });

  it("the Dockerfile copies existing folders, runs as a user other than root, and starts what it has copied", () => {
    const text = read("Dockerfile");
    const last = text.slice(text.lastIndexOf("\nFROM"));
    for (const [, from, path] of last.matchAll(/^COPY (--from=\S+ )?(\S+)/gm))
      if (from === undefined) expect(existsSync(join(root, path!)), path).to.equal(true);
    expect(/^USER (\d+)/m.exec(last)![1]).not.to.equal("0");
    expect(last).to.match(/^ENV NODE_ENV=production /m);
  });

  it("the unit of systemd starts a backend again, gives it time to stop, and has settings of a fleet", () => {
    const text = read("systemd/arcade@.service");
    const lines = text.split("\n").filter((line) => /^\w+=/.test(line));
    const entries = lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const);
    const getAll = (name: string) => entries.filter(([key]) => key === name).map(([, value]) => value);
    expect([getAll("Restart"), getAll("KillSignal")]).to.deep.equal([["always"], ["SIGTERM"]]);
    expect(getAll("ExecStart")[0]).to.match(/ scripts\/run\.mjs serve$/);
    const settings = getAll("Environment").map((line) => line.replace("%i", "4101").split("=") as [string, string]);
    const env: { readonly [name: string]: string } = { ...Object.fromEntries(settings), ...GIVEN };
    const { ARCADE_DATABASE_PASSWORD: _, ARCADE_NATS_PASSWORD: __, ...given } = env;
    expectFleetSettings(given);
    expect(getAll("ProtectSystem")).to.deep.equal(["strict"]);
    expect(given.NODE_ENV, "it builds nothing").to.equal("production");
    const credentials = getAll("LoadCredential").map((line) => line.split(":")[0]);
    for (const key of KEYS) expect(credentials).to.include(env[key]!.replace("@%d/", ""));
  });
});
