import { ATTR_REENACT_COOKIES_BROUGHT } from '@reenact/semconv/reenact';
import type { Crossing, Recording } from '@reenact/trace-model';
import { requestBeforeOf, requestsGivenBy, runBeforeOf } from '@reenact/trace-model/reading';
import { ownCommand } from '../terminal/own-command.ts';

function runLines(recording: Recording, { spanId, path }: Crossing): string[] {
  const before = runBeforeOf(recording, spanId);
  if (before === undefined) return [];
  return [
    `process: ${path} was run ${before.place + 1} of it; run ${before.place}: ${ownCommand()} show ${before.traceId}`,
  ];
}

function requestLines(recording: Recording, { spanId, path }: Crossing): string[] {
  const before = requestBeforeOf(recording, spanId);
  if (before === undefined) return [];
  const { place, traceId } = before;
  const those = place === 1 ? 'one request that may have left' : `${place} requests that may have left`;
  return [
    `process: ${path} came after ${those} something in memory (replay it after them with --requests-before all); the last: ${ownCommand()} show ${traceId}`,
  ];
}

function namesOf(cookies: unknown): string[] {
  return Array.isArray(cookies) ? cookies.map((cookie) => String(cookie).split('=', 1)[0] ?? '') : [];
}

/** Whose answer gave a request the cookie or token that it came with, and how it is replayed with one; nothing where it came with none. */
function secretLines(recording: Recording, { spanId, path, attributes }: Crossing): string[] {
  const [giver, ...others] = requestsGivenBy(recording, spanId);
  if (giver !== undefined) {
    const answers = others.length === 0 ? 'an answer' : `${others.length + 1} answers`;
    return [
      `process: ${path} brought back a cookie or token that ${answers} before it gave (replay it with that by --requests-before all); the last: ${ownCommand()} show ${giver.traceId}`,
    ];
  }
  const [name, ...rest] = namesOf(attributes.get(ATTR_REENACT_COOKIES_BROUGHT));
  if (name === undefined) return [];
  const [which, were] =
    rest.length === 0 ? [`the cookie ${name}`, 'is'] : [`the cookies ${[name, ...rest].join(', ')}`, 'are'];
  return [
    `process: ${path} came with ${which}, which ${were} redacted and which no answer of its process gave: replay it with --header "Cookie: ${name}=<value>"`,
  ];
}

/** Which run of its process each run was, and where the one before it is; what comes first in a process has no line. */
export function runBeforeLines(recording: Recording): string[] {
  return recording.roots.flatMap((root) => [
    ...runLines(recording, root),
    ...requestLines(recording, root),
    ...secretLines(recording, root),
  ]);
}
