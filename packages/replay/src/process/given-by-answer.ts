import { macsIn } from '@reenact/instrumentation';
import { ATTR_REENACT_COOKIES_GIVEN } from '@reenact/semconv/reenact';
import { type Crossing, payloadTree } from '@reenact/trace-model';
import { z } from 'zod';
import { givenInText } from './given-in-text.ts';

/** Secrets by what tells them apart when they were recorded: the digits of their tokens. */
export type SecretsByMac = ReadonlyMap<string, string>;

const cookiesSchema = z.array(z.string());
const answerSchema = z.object({ body: z.record(z.string(), z.unknown()) });

/** The cookies that a recorded answer set, each as its name and the token of its value; empty where that was not kept. */
function recordedCookies({ attributes }: Crossing): string[] {
  return cookiesSchema.safeParse(attributes.get(ATTR_REENACT_COOKIES_GIVEN)).data ?? [];
}

function recordedBody({ outcome, redacted }: Crossing): Readonly<Record<string, unknown>> | undefined {
  if (!redacted.some((pointer) => pointer.startsWith('/output'))) return undefined;
  if (outcome.type !== 'returned' || outcome.value?.data === undefined) return undefined;
  return answerSchema.safeParse(payloadTree(outcome.value)).data?.body;
}

function pairOf(cookie: string): [name: string, value: string] {
  const at = cookie.indexOf('=');
  return [cookie.slice(0, at).trim(), cookie.slice(at + 1).trim()];
}

/** What the digits of the token of a value are in a recorded one; undefined where there is none, or more. */
function onlyMac(recorded: string): string | undefined {
  const [mac, ...others] = macsIn(recorded);
  return others.length === 0 ? mac : undefined;
}

/** The cookies of the same name, of several in the order in which they were set. */
function givenInCookies(recorded: readonly string[], live: readonly string[]): [mac: string, value: string][] {
  const waiting = live.map((cookie) => pairOf(cookie.split(';', 1)[0] ?? ''));
  return recorded.flatMap((cookie): [string, string][] => {
    const [name, token] = pairOf(cookie);
    const mac = onlyMac(token);
    const at = waiting.findIndex(([liveName]) => liveName === name);
    const [found] = at < 0 ? [] : waiting.splice(at, 1);
    return found === undefined || mac === undefined ? [] : [[mac, found[1]]];
  });
}

function givenInTree(recorded: unknown, live: unknown): [mac: string, value: string][] {
  if (typeof recorded === 'string') {
    // A number that is a secret was kept as a text.
    const text = typeof live === 'number' ? String(live) : live;
    if (typeof text !== 'string') return [];
    return givenInText(recorded, text).flatMap(({ token, value }) => macsIn(token).map((mac) => [mac, value] as const));
  }
  if (typeof recorded !== 'object' || recorded === null || typeof live !== 'object' || live === null) return [];
  return Object.entries(recorded).flatMap(([name, value]) =>
    Object.hasOwn(live, name) ? givenInTree(value, Reflect.get(live, name)) : [],
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** What tells the secrets apart that a recorded answer gave. */
export function macsGivenBy(root: Crossing): string[] {
  const body = recordedBody(root);
  return [...recordedCookies(root).flatMap(macsIn), ...(body === undefined ? [] : macsIn(JSON.stringify(body)))];
}

/** Whether a recorded answer gave a secret in its body. */
export function givesInBody(root: Crossing): boolean {
  const body = recordedBody(root);
  return body !== undefined && macsIn(JSON.stringify(body)).length > 0;
}

/** The secrets that an answer gives in the cookies it sets, by what they were when it was recorded. */
export function cookiesGivenBy(root: Crossing, setCookies: readonly string[]): SecretsByMac {
  return new Map(givenInCookies(recordedCookies(root), setCookies));
}

/** The same of its body, where it is JSON or a text. */
export function givenInBodyOf(root: Crossing, body: Buffer): SecretsByMac {
  const recorded = recordedBody(root);
  if (recorded === undefined) return new Map();
  const text = body.toString('utf8');
  return new Map('json' in recorded ? givenInTree(recorded.json, parsed(text)) : givenInTree(recorded.text, text));
}
