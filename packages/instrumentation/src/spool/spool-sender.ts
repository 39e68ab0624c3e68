import { createHash } from 'node:crypto';
import { parseKeyPairsIntoRecord } from '@opentelemetry/core';

/**
 * As whom a process sends, by the headers that the standard variables name: its token says whose data it is, and a receiver may hold those of
 * several. A digest, which says nothing of them; undefined where there are none.
 */
export function senderOf(environment: NodeJS.ProcessEnv): string | undefined {
  const { OTEL_EXPORTER_OTLP_HEADERS: forAll, OTEL_EXPORTER_OTLP_TRACES_HEADERS: forTraces } = environment;
  const headers = new Map(
    [forAll, forTraces].flatMap((text) =>
      Object.entries(parseKeyPairsIntoRecord(text)).map(([name, value]) => [name.toLowerCase(), value] as const),
    ),
  );
  if (headers.size === 0) return undefined;
  const text = JSON.stringify(Array.from(headers).sort(([left], [right]) => (left < right ? -1 : 1)));
  return createHash('sha256').update(`reenact spool sender ${text}`).digest('hex').slice(0, 16);
}

/** Who sends as nobody can tell: what was left with a token is not delivered so. No digest is empty. */
export const UNKNOWN_SENDER = '';

/** Whether what one process left may be delivered by another: never as somebody else's. Without a token nobody is told apart. */
export function isSameSender(left: string | undefined, delivering: string | undefined): boolean {
  return left === undefined || delivering === undefined || left === delivering;
}
