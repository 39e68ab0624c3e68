import { isIPv6 } from 'node:net';
import { isWithheld } from '@reenact/instrumentation';
import { ATTR_NETWORK_PROTOCOL_VERSION, ATTR_SERVER_ADDRESS, ATTR_SERVER_PORT } from '@reenact/semconv/core';
import { ATTR_REENACT_COOKIES_BROUGHT } from '@reenact/semconv/reenact';
import { type Crossing, payloadTree, ReenactError } from '@reenact/trace-model';
import { z } from 'zod';
import type { HttpVersion } from './listening-file.ts';

const requestSchema = z.object({
  method: z.string(),
  url: z.string(),
  contentType: z.string().optional(),
  headers: z.array(z.tuple([z.string(), z.string()])).default([]),
  body: z
    .union([
      z.object({ text: z.string() }),
      z.object({ base64: z.string() }),
      z.object({ bytes: z.number(), sha256: z.string() }),
    ])
    .optional(),
});

/** Begins the name of what is withheld where it is a parameter of the address. */
export const QUERY_PARAMETER = 'query parameter ';

/** Begins the name of what is withheld where it is one of the cookies. */
export const COOKIE = 'cookie ';

const cookiesSchema = z.array(z.string());

/** A recorded inbound request, ready to be sent again. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Host and port that were asked for, which no header above names; undefined where the request did not say. */
  readonly host: string | undefined;
  readonly body: Buffer;
  /** The version of HTTP it came by. */
  readonly httpVersion: HttpVersion;
  /** Whether anything was pushed with its answer. */
  readonly takesPushes: boolean;
  /** Headers and query parameters whose values were redacted; the headers among them are not sent. */
  readonly withheld: readonly string[];
  /** The headers that are not sent, with tokens in their values. */
  readonly withheldHeaders: readonly (readonly [string, string])[];
  /** Its cookies, each as its name and the token of its value; empty where they were not kept each by itself. */
  readonly cookies: readonly string[];
  /** Whether tokens stand in its body in place of secrets. */
  readonly isBodyRedacted: boolean;
}

function coldCase(root: Crossing, what: string, next: string): ReenactError {
  return new ReenactError('cold-case', `The request that entered ${root.path} cannot be sent again: ${what}.`, {
    where: root.path,
    next,
  });
}

/** The parameters of an address that tokens stand in, as they are named among what is withheld. */
export function withheldParameters(target: string): string[] {
  return Array.from(
    target.matchAll(/[?&]([^=&]*)=\[redacted(?::[^\]]*)?\]/g),
    ([, name]) => `${QUERY_PARAMETER}${name}`,
  );
}

function headersOf(
  headers: readonly (readonly [string, string])[],
  contentType: string | undefined,
): (readonly [string, string])[] {
  return headers
    .filter(([name, value]) => !isWithheld(value) && !/^(host|content-length)$/i.test(name))
    .map(([name, value]) =>
      // A multipart body is kept with its boundary replaced by this word.
      /^content-type$/i.test(name) && /^multipart\//i.test(value)
        ? [name, `${contentType ?? value}; boundary=boundary`]
        : [name, value],
    );
}

/** HTTP/2 names the host in no header: it is what the span says. */
function hostOf({ attributes }: Crossing, headers: readonly (readonly [string, string])[]): string | undefined {
  const header = headers.find(([name]) => /^host$/i.test(name));
  if (header !== undefined) return header[1];
  const address = attributes.get(ATTR_SERVER_ADDRESS);
  if (typeof address !== 'string') return undefined;
  const host = isIPv6(address) ? `[${address}]` : address;
  const port = Number(attributes.get(ATTR_SERVER_PORT));
  return port > 0 && port !== 80 && port !== 443 ? `${host}:${port}` : host;
}

const pushedSchema = z.object({ pushed: z.array(z.unknown()).min(1) });

function hasPushed({ outcome }: Crossing): boolean {
  if (outcome.type !== 'returned' || outcome.value?.data === undefined) return false;
  return pushedSchema.safeParse(payloadTree(outcome.value)).success;
}

/** Reads the request a run was entered by. Throws ReenactError `cold-case` where not all of it was kept. */
export function recordedRequestOf(root: Crossing): RecordedRequest {
  const tree = root.input?.data === undefined ? undefined : payloadTree(root.input);
  const parsed = requestSchema.safeParse(tree);
  if (!parsed.success) {
    throw coldCase(root, 'it was not recorded', 'Record inbound requests with capture: "full".');
  }
  const { method, url, headers, contentType, body } = parsed.data;
  if (body !== undefined && 'sha256' in body) {
    throw coldCase(
      root,
      `its body of ${body.bytes} bytes was too long to keep`,
      'Replay a run with a shorter request.',
    );
  }
  const bytes =
    body === undefined
      ? Buffer.alloc(0)
      : 'text' in body
        ? Buffer.from(body.text, 'utf8')
        : Buffer.from(body.base64, 'base64');
  const withheldHeaders = headers.filter(([, value]) => isWithheld(value));
  const names = withheldHeaders.map(([name]) => name.toLowerCase());
  return {
    method,
    target: url,
    headers: headersOf(headers, contentType),
    host: hostOf(root, headers),
    body: bytes,
    httpVersion: root.attributes.get(ATTR_NETWORK_PROTOCOL_VERSION) === '2' ? '2' : '1.1',
    takesPushes: hasPushed(root),
    withheld: [...new Set(names), ...withheldParameters(url)],
    withheldHeaders,
    cookies: cookiesSchema.safeParse(root.attributes.get(ATTR_REENACT_COOKIES_BROUGHT)).data ?? [],
    isBodyRedacted: root.redacted.some((pointer) => /^\/input\/body(\/|$)/.test(pointer)),
  };
}
