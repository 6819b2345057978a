/** A call of the reference: its form, and the response of this service. */
import { useSignal } from "@preact/signals";
import { ActionButton } from "../components/action-button.tsx";
import { DOCS_LABELS } from "../labels/docs.ts";
import { client } from "../wallet/service.ts";
import { type Operation, toRequestPath } from "./openapi.ts";

interface Result {
  readonly status: number;
  readonly text: string;
}

const TEXT_MAX = 20_000;

const format = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

async function send(operation: Operation, values: { readonly [name: string]: string }): Promise<Result> {
  const isPost = operation.method === "POST";
  const ownToken = operation.schemes.includes("accessToken") ? await client.signIn.accessToken() : null;
  const token = (values.token ?? "") === "" ? ownToken : values.token!;
  const body = values.body ?? operation.body ?? "{}";
  if (isPost && format(body) === body && !/^[\s]*[[{"]/.test(body)) throw new Error(DOCS_LABELS.invalidJson);
  const response = await fetch(toRequestPath(operation, values), {
    method: operation.method,
    headers: {
      ...(isPost ? { "Content-Type": "application/json" } : {}),
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
    },
    ...(isPost ? { body } : {}),
  });
  return { status: response.status, text: format(await response.text()).slice(0, TEXT_MAX) };
}

export function TryIt({ operation }: { readonly operation: Operation }) {
  const values = useSignal<{ readonly [name: string]: string }>({
    ...Object.fromEntries(operation.fields.map(({ name, example }) => [name, example])),
    ...(operation.body === null ? {} : { body: operation.body }),
  });
  const result = useSignal<Result | null>(null);
  const set = (name: string, value: string): void => {
    values.value = { ...values.value, [name]: value };
  };
  return (
    <div class="try-it form">
      {operation.fields.map(({ name, isRequired, description }) => (
        <label key={name}>
          <span>
            <code>{name}</code>
            {isRequired && " *"}
            {description !== "" && <small>{` ${description}`}</small>}
          </span>
          <input
            type="text"
            value={values.value[name] ?? ""}
            onInput={({ currentTarget }) => set(name, currentTarget.value)}
          />
        </label>
      ))}
      {operation.schemes.length > 0 && (
        <label>
          <span>
            {DOCS_LABELS.token} <small>{DOCS_LABELS.tokenHelp}</small>
          </span>
          <input
            type="password"
            autoComplete="off"
            value={values.value.token ?? ""}
            onInput={({ currentTarget }) => set("token", currentTarget.value.trim())}
          />
        </label>
      )}
      {operation.body !== null && (
        <label>
          {DOCS_LABELS.body}
          <textarea
            rows={Math.min(12, operation.body.split("\n").length + 1)}
            spellcheck={false}
            value={values.value.body ?? ""}
            onInput={({ currentTarget }) => set("body", currentTarget.value)}
          />
        </label>
      )}
      <ActionButton
        label={DOCS_LABELS.send}
        description={operation.name}
        onClick={async () => {
          result.value = null;
          result.value = await send(operation, values.value);
        }}
      />
      <div role="status">{result.value !== null && <Response {...result.value} />}</div>
    </div>
  );
}

const Response = ({ status, text }: Result) => (
  <>
    <h4>
      {`${DOCS_LABELS.response} `}
      <b class={status < 400 ? "check-ok" : "check-failed"}>{status}</b>
    </h4>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard */}
    <pre class="response" tabIndex={0}>
      <code>{text}</code>
    </pre>
  </>
);
