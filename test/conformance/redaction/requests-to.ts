import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** What Node's `fetch` tells of a request that it is about to send. */
interface Sending {
  readonly request: { readonly method: string; readonly path: string };
}

// A served request of node:http exists, too, and is told there: only its server can say that it never came.
const channel = 'undici:request:create';

/** Runs `work`; which requests `fetch` began to send to addresses under `url` meanwhile, by its own account. */
export async function requestsTo<Value>(
  url: string,
  work: () => Promise<Value>,
): Promise<{ readonly sent: readonly string[]; readonly value: Value }> {
  const { pathname } = new URL(url);
  const sent: string[] = [];
  const note = (message: unknown): void => {
    const { method, path } = (message as Sending).request;
    if (path.startsWith(pathname)) sent.push(`${method} ${path}`);
  };
  subscribe(channel, note);
  try {
    const value = await work();
    return { sent, value };
  } finally {
    unsubscribe(channel, note);
  }
}
