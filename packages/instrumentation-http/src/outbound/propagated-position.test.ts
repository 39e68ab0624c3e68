import http, { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context, DiagLogLevel, diag, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import { W3CBaggagePropagator } from '@opentelemetry/core';
import { gate, type Position, positionOf, propagatedHeaders, withPosition } from '@reenact/instrumentation';
import { TapePlayer } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp, recordAct } from '../testdata/http-suite.ts';
import { logOf } from '../testdata/request-log.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';

/** Signs positions as a replay does, with less effort. */
class SigningPlayer extends TapePlayer {
  positionToken({ cursor }: Position): string {
    return `replay-1.${cursor ?? '-'}.signed`;
  }

  positionOfToken(token: string): Position | undefined {
    const [replayId, cursor, signature] = token.split('.');
    return replayId === 'replay-1' && signature === 'signed' ? { player: this, cursor } : undefined;
  }
}

const { request: send } = http;
let undo: () => void;
beforeAll(() => {
  undo = patchHttp({ inbound: true, ignore: ({ url }) => url === '/plain' });
});
afterAll(() => undo());

describe('a request that a replay sends for real', () => {
  it.each<[string, (url: string) => Promise<unknown>]>([
    ['fetch', (url: string) => fetch(url, { headers: { baggage: 'a=1' } }).then((response) => response.text())],
    ['node:http', (url: string) => logOf(http.get(url, { headers: { baggage: 'a=1' } }))],
  ])('by %s carries its position to this machine, beside what the host sends', async (_name, act) => {
    const server = await ScriptedServer.start((_request, response) => void response.end());
    const url = `${server.url}/plain`;
    const { calls } = await recordAct(() => act(url));
    const [recorded] = calls.crossings();
    const player = new SigningPlayer(calls.crossings());
    player.live.add(`GET 127.0.0.1:${server.port}`);
    await player.during(() => act(url));
    await server.stop();
    expect(server.requests.map(({ headers }) => headers.baggage)).toEqual([
      'a=1',
      `a=1,reenact.replay=replay-1.${recorded?.spanId}.signed`,
    ]);
  });

  it('carries it nowhere else', () => {
    const position = { player: new SigningPlayer([]), cursor: 'c1' };
    const inside = withPosition(ROOT_CONTEXT, position);
    const carried = (url: string, baggage?: string): unknown =>
      propagatedHeaders(new URL(url), (name) => (name === 'baggage' ? baggage : undefined), inside);
    for (const url of ['http://localhost:80/', 'http://[::1]/', 'http://127.8.0.1:1/']) {
      expect(carried(url)).toEqual([['baggage', 'reenact.replay=replay-1.c1.signed']]);
    }
    for (const url of ['http://example.com/', 'http://127.0.0.1.example.com/', 'http://localhost.example.com/']) {
      expect(carried(url)).toEqual([]);
    }
    expect(propagatedHeaders(new URL('http://localhost/'), () => undefined, ROOT_CONTEXT)).toEqual([]);
  });

  it('is taken out of what the host forwards to where it does not travel', () => {
    const carried = (url: string, baggage: string): unknown =>
      propagatedHeaders(new URL(url), (name) => (name === 'baggage' ? baggage : undefined), ROOT_CONTEXT);
    const forwarded = 'reenact.replay=replay-1.c1.signed';
    expect(carried('http://example.com/', `a=1, ${forwarded};p=2,b=2`)).toEqual([['baggage', 'a=1,b=2']]);
    expect(carried('http://example.com/', forwarded)).toEqual([['baggage', undefined]]);
    expect(carried('http://example.com/', 'a=1')).toEqual([]);
    // Whoever forwards a position to a listed host forwards it without asking us either: ours replaces it, or none does.
    expect(carried('http://localhost/', forwarded)).toEqual([['baggage', undefined]]);
  });
});

function answerTo(port: number, baggage: string): Promise<unknown> {
  return logOf(send({ host: '127.0.0.1', port, headers: { baggage }, agent: false }).end());
}

describe('a position that comes in', () => {
  const cursors: (string | undefined)[] = [];
  const carried: unknown[] = [];
  let server: Server;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const baggage = propagation.getBaggage(context.active())?.getEntry('reenact.replay')?.value;
      carried.push(baggage, request.headers.baggage, request.rawHeaders.includes('baggage'));
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    propagation.setGlobalPropagator(new W3CBaggagePropagator());
  });
  afterAll(() => {
    propagation.disable();
    server.close();
  });

  class NotingPlayer extends SigningPlayer {
    override answer(arrival: Parameters<SigningPlayer['answer']>[0]): ReturnType<SigningPlayer['answer']> {
      cursors.push(arrival.position?.cursor);
      return super.answer(arrival);
    }
  }

  it.each([
    ['signed', 'a=1, reenact.replay=replay-1.c7.signed;p=1', 'c7', 0],
    ['forged', 'reenact.replay=replay-1.c7.forged', undefined, 1],
    ['of another replay', 'reenact.replay=replay-2.c7.signed', undefined, 1],
    ['absent', 'a=1', undefined, 0],
  ])('%s', async (_name, baggage, cursor, warnings) => {
    cursors.length = 0;
    let warned = 0;
    const ignore = (): void => undefined;
    const warn = (): void => {
      warned += 1;
    };
    diag.setLogger(
      { verbose: ignore, debug: ignore, info: ignore, error: ignore, warn },
      {
        logLevel: DiagLogLevel.WARN,
        suppressOverrideMessage: true,
      },
    );
    const { port } = server.address() as AddressInfo;
    await new NotingPlayer([]).during(() => answerTo(port, baggage));
    diag.disable();
    expect(cursors).toEqual([cursor]);
    expect(warned).toBe(warnings);
  });

  it('is nothing outside a replay, and never goes on as baggage of the host', async () => {
    const { port } = server.address() as AddressInfo;
    carried.length = 0;
    gate.configure({ recorder: { record: () => undefined } });
    await answerTo(port, 'reenact.replay=replay-1.c7.signed');
    gate.configure({ recorder: undefined });
    expect(carried).toEqual([undefined, undefined, false]);
    expect(positionOf(context.active())).toBeUndefined();
  });
});
