import http from 'node:http';
import { text } from 'node:stream/consumers';
import { tool } from '@reenact/instrumentation';
import type { Peer } from '../fidelity-library.ts';
import type { EntryAnswer, EntryQuestion, EntryWork } from './entry-library.ts';

/** Taken before anything is patched: what the tools ask with is nobody's crossing. */
const { request } = http;

interface PeerAnswer {
  readonly status: number | undefined;
  readonly body: string;
}

function send(address: string, path: string): Promise<PeerAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${address}${path}`, { agent: false }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    });
    sent.on('error', reject).end();
  });
}

async function* several(first: string): AsyncGenerator<string> {
  for (const part of [first, ' two', ' three']) {
    yield part;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function* failing(first: string): AsyncGenerator<string> {
  yield first;
  await new Promise((resolve) => setImmediate(resolve));
  throw new RangeError('no more of it');
}

async function* endless(first: string): AsyncGenerator<string> {
  yield first;
  await new Promise(() => undefined);
}

async function* one(part: string): AsyncGenerator<string> {
  yield part;
}

/** Makes a step of the work a tool, or leaves it as it is. */
export type MakeTool = <Step extends (...parameters: never[]) => unknown>(name: string, step: Step) => Step;

/** What the handlers of a row do: all of it by a tool that asks a peer, which a replay must not reach. */
export function workOver({ address }: Peer, makeTool: MakeTool = tool): EntryWork {
  // The marker says whose question it was, and is no part of what is asked.
  const ask = makeTool('ask', (path: string, _marker: string) => send(address, path));
  const inner = makeTool('inner', async (marker: string) => (await ask('/echo', marker)).status);
  const outer = makeTool('outer', async (marker: string) => [await inner(marker), await inner(marker)]);
  const answer = async ({ asks, marker }: EntryQuestion): Promise<EntryAnswer> => {
    switch (asks) {
      case 'call': {
        const { body } = await ask('/echo', marker);
        return { status: 200, parts: one(`${marker}: ${body}`) };
      }
      case 'streamed answer':
        return { status: 200, parts: several(`${(await ask('/echo', marker)).status}`) };
      case 'client leaves':
        return { status: 200, parts: endless(`${(await ask('/echo', marker)).status}`) };
      case 'mid-stream error':
        return { status: 200, parts: failing(`${(await ask('/echo', marker)).status}`) };
      case '429 then success': {
        const { status = 0, body } = await ask('/limited', marker);
        return { status, parts: one(body) };
      }
      case 'timeout':
        await ask('/echo', marker);
        return new Promise(() => undefined);
      case 'reverse parallel':
        return { status: 200, parts: one((await ask(`/${marker}`, marker)).body) };
      case 'nested tools':
        return { status: 200, parts: one(JSON.stringify(await outer(marker))) };
    }
  };
  return answer;
}
