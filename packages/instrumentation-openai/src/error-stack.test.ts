import { recordThenServe, type Script } from '@reenact/instrumentation/testing';
import type OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientOf, patchOpenAI } from './testdata/client-suite.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchOpenAI();
});
afterAll(() => undo());

const refused: Script = (response) => response.writeHead(400, { 'content-type': 'application/json' }).end('{}');
const overloaded: Script = (response) => response.writeHead(503, { 'retry-after-ms': '1' }).end('later');

async function askForAnswer(client: OpenAI): Promise<unknown> {
  return await client.chat.completions.create({ model: 'gpt-4o', messages: [] });
}

it.each([
  { what: 'refused', script: refused, maxRetries: 0 },
  { what: 'given up after a retry', script: overloaded, maxRetries: 1 },
])(
  'the error of a call that was $what names who waited for it, recorded and replayed',
  async ({ script, maxRetries }) => {
    const { recorded, replayed } = await recordThenServe(script, (baseURL) =>
      askForAnswer(clientOf(baseURL, { maxRetries })),
    );
    for (const { error } of [recorded, replayed]) {
      expect((error as Error).stack).toContain('OpenAI.makeRequest');
      expect((error as Error).stack).toContain('askForAnswer');
    }
  },
);
