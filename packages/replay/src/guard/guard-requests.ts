import type { ClientHttp2Session } from 'node:http2';
import { httpMembers, type PatchSet } from '@reenact/instrumentation';
import { type ReenactError, urlPlace } from '@reenact/trace-model';
import type { AttemptedEffect } from './attempted-effect.ts';
import type { EffectJudge } from './effect-judge.ts';

interface InnerAgent {
  readonly protocol?: string;
  readonly options?: Record<string, unknown>;
}

interface InnerRequest {
  onSocket(socket: undefined, error: ReenactError): void;
}

function urlEffect(name: string, text: string): AttemptedEffect | undefined {
  const url = URL.parse(text);
  // data:, blob: and what is no address at all reach no network.
  if (url === null || !/^(https?|wss?):$/.test(url.protocol)) return undefined;
  const { host, port = 0 } = urlPlace(url);
  return { type: 'host', name, host, port };
}

function fetchEffect([resource]: readonly unknown[]): AttemptedEffect | undefined {
  if (resource instanceof Request) return urlEffect('fetch', resource.url);
  return urlEffect('fetch', String(resource));
}

/**
 * Whether `fetch` is certain to reject these parameters before it sends anything, as it did when it was recorded. What cannot be told
 * without using it up, or by a request that stands for another one, counts as valid: it is judged as what is sent.
 */
function isInvalidFetch([resource, given]: readonly unknown[]): boolean {
  try {
    const init = (given ?? {}) as RequestInit;
    if (resource instanceof Request) return resource.bodyUsed && (init.body ?? undefined) === undefined;
    // An iterator of headers can be read once: by `fetch`.
    const { headers } = init;
    if (typeof headers === 'object' && headers !== null && 'next' in headers) return false;
    const bodiless = Object.create(init, { body: { value: undefined } }) as RequestInit;
    return new Request(String(resource), bodiless) === undefined;
  } catch {
    return true;
  }
}

/** `addRequest(request, options)`, or in its old form `addRequest(request, host, port)`. */
function requestEffect(agent: InnerAgent, [, given, oldPort]: readonly unknown[]): AttemptedEffect {
  const isOptions = typeof given === 'object' && given !== null;
  const options: Record<string, unknown> = isOptions ? { ...given, ...agent.options } : { host: given, port: oldPort };
  const protocol = agent.protocol ?? 'http:';
  const name = `${protocol.replace(/:$/, '')}.request`;
  const { socketPath, host, port } = options;
  if (typeof socketPath === 'string' && socketPath !== '') return { type: 'pipe', name, path: socketPath };
  return {
    type: 'host',
    name,
    host: typeof host === 'string' && host !== '' ? host : 'localhost',
    port: Number(port ?? (protocol === 'https:' ? 443 : 80)),
  };
}

function guardAgents(patches: PatchSet, judge: EffectJudge): void {
  const { Agent } = process.getBuiltinModule('node:http');
  // Also where the agent would reuse a connection: a request that is sent over it is an effect of its own.
  patches.wrap(Agent.prototype, 'addRequest', ({ self, parameters, proceed }) => {
    const effect = requestEffect(self as InnerAgent, parameters);
    const refusal = judge.refusalOf(() => effect);
    if (refusal === undefined) return judge.naming(effect.name, proceed);
    (parameters[0] as InnerRequest).onSocket(undefined, refusal);
    return undefined;
  });
}

function sessionEffect({ socket, destroyed }: ClientHttp2Session): AttemptedEffect | undefined {
  if (destroyed) return undefined;
  const { remoteAddress, remotePort } = socket;
  if (remoteAddress === undefined || remotePort === undefined) return undefined;
  return { type: 'host', name: 'http2.request', host: remoteAddress, port: remotePort };
}

/** The class of sessions can be had only from a session: it is guarded when the first one is handed out. */
function guardSessions(patches: PatchSet, judge: EffectJudge): void {
  const http2 = process.getBuiltinModule('node:http2');
  const origins = new WeakMap<object, AttemptedEffect | undefined>();
  let isGuarded = false;
  const guardRequesting = (prototype: object): void =>
    patches.wrap(prototype, 'request', ({ self, proceed }) => {
      const session = self as ClientHttp2Session;
      const refusal = judge.refusalOf(() => (origins.has(session) ? origins.get(session) : sessionEffect(session)));
      if (refusal !== undefined) throw refusal;
      return proceed();
    });
  patches.wrap(http2, 'connect', ({ parameters, proceed }) => {
    const origin = urlEffect('http2.connect', String(parameters[0]));
    const refusal = judge.refusalOf(() => origin);
    const session = judge.naming('http2.connect', proceed) as ClientHttp2Session;
    // What was refused fails as its connection does, and so do the requests that wait for it.
    origins.set(
      session,
      refusal === undefined && origin !== undefined ? { ...origin, name: 'http2.request' } : undefined,
    );
    if (!isGuarded) guardRequesting(Object.getPrototypeOf(session));
    isGuarded = true;
    return session;
  });
}

/** Guards requests where they are made, so that a connection kept alive by a live crossing serves nobody else. */
export function guardRequests(patches: PatchSet, judge: EffectJudge): void {
  // A `fetch` that asks the gate answers from the recording; what it lets through is judged where its socket connects.
  if (!httpMembers.isPatched(globalThis.fetch)) guardFetch(patches, judge);
  guardAgents(patches, judge);
  // The same of a `connect` whose sessions ask the gate.
  if (!httpMembers.isPatched(process.getBuiltinModule('node:http2').connect)) guardSessions(patches, judge);
}

function guardFetch(patches: PatchSet, judge: EffectJudge): void {
  patches.wrap(globalThis, 'fetch', async ({ parameters, proceed }) => {
    if (isInvalidFetch(parameters)) return proceed();
    const refusal = judge.refusalOf(() => fetchEffect(parameters));
    if (refusal !== undefined) throw refusal;
    return proceed();
  });
}
