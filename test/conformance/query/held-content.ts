import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CollectorConfigInput } from '@reenact/collector';
import type { Span } from '@reenact/otlp';
import {
  ATTR_GEN_AI_INPUT_MESSAGES_REF,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
} from '@reenact/semconv/gen-ai';
import { makeSpan, spanIdOf, textAttributes, traceIdOf } from '../testbed.ts';

/** Longer than any test. */
const PATIENCE_MS = 600_000;

/** A place with content that a collector fetches for a summary, and that is held back until a test says so. */
export interface HeldContent {
  /** What a collector has to be configured with. */
  readonly references: NonNullable<CollectorConfigInput['references']>;
  /** A run whose summary waits for its content. */
  spanOf(number: number): Span;
  /** Resolves once a collector has asked for so many contents: summaries are in work then, and wait. */
  asked(count: number): Promise<void>;
  /** Gives everybody what they asked for of a run. */
  releaseOf(number: number): void;
  /** Gives everybody what they asked for, and who asks later at once. */
  release(): void;
  close(): Promise<void>;
}

function answer(response: ServerResponse): void {
  if (!response.writableEnded) response.end('[]');
}

/** Opens such a place. */
export async function holdContent(): Promise<HeldContent> {
  const held: { readonly path: string | undefined; readonly response: ServerResponse }[] = [];
  let isReleased = false;
  const server = createServer(({ url: path }, response) => {
    held.push({ path, response });
    if (isReleased) answer(response);
    server.emit('held');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    references: { allow: [origin], timeoutMs: PATIENCE_MS },
    spanOf: (number) =>
      makeSpan({
        traceId: traceIdOf(number),
        spanId: spanIdOf(number),
        name: `run ${number}`,
        attributes: textAttributes({
          [ATTR_GEN_AI_OPERATION_NAME]: 'chat',
          [ATTR_GEN_AI_REQUEST_MODEL]: 'm-1',
          [ATTR_GEN_AI_INPUT_MESSAGES_REF]: `${origin}${number}`,
        }),
      }),
    asked: async (count) => {
      while (held.length < count) await once(server, 'held');
    },
    releaseOf: (number) => {
      for (const { path, response } of held) if (path === `/${number}`) answer(response);
    },
    release: () => {
      isReleased = true;
      for (const { response } of held) answer(response);
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
