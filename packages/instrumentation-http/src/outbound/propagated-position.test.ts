import http, { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context, DiagLogLevel, diag, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import { W3CBaggagePropagator } from '@opentelemetry/core';
import { gate, type Position, positionOf, withPosition } from '@reenact/instrumentation';
import { TapePlayer } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp, recordAct } from '../testdata/http-suite.ts';
import { logOf } from '../testdata/request-log.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';
import { baggageWithPosition } from './propagated-position.ts';

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
    const carried = (url: string): string | undefined => baggageWithPosition(new URL(url), undefined, inside);
    expect(carried('http://localhost:80/')).toBe('reenact.replay=replay-1.c1.signed');
    expect(carried('http://[::1]/')).toBe('reenact.replay=replay-1.c1.signed');
    expect(carried('http://example.com/')).toBeUndefined();
    expect(carried('http://127.0.0.1.example.com/')).toBeUndefined();
    expect(baggageWithPosition(new URL('http://localhost/'), 'a=1', ROOT_CONTEXT)).toBeUndefined();
  });
});

function answerTo(port: number, baggage: string): Promise<unknown> {
  return logOf(send({ host: '127.0.0.1', port, headers: { baggage }, agent: false }).end());
}

describe('a position that comes in', () => {
  const cursors: (string | undefined)[] = [];
  const carried: (string | undefined)[] = [];
  let server: Server;
  beforeAll(async () => {
    server = createServer((_request, response) => {
      carried.push(propagation.getBaggage(context.active())?.getEntry('reenact.replay')?.value);
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
    gate.configure({ recorder: { record: () => undefined } });
    await answerTo(port, 'reenact.replay=replay-1.c7.signed');
    gate.configure({ recorder: undefined });
    expect(carried).toEqual([undefined]);
    expect(positionOf(context.active())).toBeUndefined();
  });
});
