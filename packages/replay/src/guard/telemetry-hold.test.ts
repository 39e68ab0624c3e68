import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { type Context, context as contexts } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { suppressTracing } from '@opentelemetry/core';
import { ownTelemetryContext, withPosition } from '@reenact/instrumentation';
import { buildRecording } from '@reenact/recordings/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type PlayerUnderTest, playerOf } from '../testdata/replay-of.ts';
import { type GuardRequest, installGuard } from './install-guard.ts';

const recording = buildRecording({ label: 'agent:a', children: [{ label: 'tool:t', input: ['one'], output: 1 }] });

let server: Server;
let place: string;
let arrived: number;

beforeEach(async () => {
  contexts.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  arrived = 0;
  server = createServer((_request, response) => {
    arrived += 1;
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A name, for what listens in this process may always be reached by its address.
  place = `telemetry.invalid:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  contexts.disable();
  server.closeAllConnections();
  server.close();
});

/** How a request ends, whose name is looked up nowhere. */
async function send(): Promise<unknown> {
  const lookup: LookupFunction = (_host, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]);
  const request = get(`http://${place}/`, { lookup, agent: false });
  return new Promise((resolve) => {
    request.once('response', (response) => response.resume().once('end', () => resolve('answered')));
    request.once('error', (error) => resolve((error as { code?: unknown }).code));
  });
}

async function sendIn(
  { player }: PlayerUnderTest,
  {
    around,
    of = { player },
    ...request
  }: Partial<GuardRequest> & {
    readonly around: (active: Context) => Context;
    /** Whose position the code carries that sends; default: the guarded one's. */
    readonly of?: Pick<PlayerUnderTest, 'player'>;
  },
): Promise<unknown> {
  const remove = installGuard({ player, scope: 'process', ...request });
  try {
    const position = { player: of.player, cursor: recording.roots[0]?.spanId };
    return await contexts.with(withPosition(around(contexts.active()), position), send);
  } finally {
    remove();
  }
}

describe('telemetry in a replay', () => {
  it('is held back, counted, and no divergence', async () => {
    const replaying = playerOf(recording);
    const ended = [];
    for (let count = 0; count < 3; count += 1) ended.push(await sendIn(replaying, { around: suppressTracing }));
    expect([ended, arrived]).toEqual([['replay-refused', 'replay-refused', 'replay-refused'], 0]);
    const { notes, divergences } = replaying.report();
    expect(notes).toContain(`Telemetry to ${place} was held back: 3 requests. To let it out: --allow-host ${place}.`);
    expect(divergences.filter(({ kind }) => kind === 'forbidden')).toEqual([]);
  });

  it('goes out where its host is named, without a word', async () => {
    const replaying = playerOf(recording);
    const allowed = { allowHosts: [place], allowPaths: [], allowPrograms: [] };
    expect(await sendIn(replaying, { around: suppressTracing, allowed })).toBe('answered');
    expect(replaying.report().notes.join()).not.toContain(place);
  });

  it('goes out where it may be that of others whom the process serves, and is noted once', async () => {
    const replaying = playerOf(recording);
    for (let count = 0; count < 2; count += 1)
      expect(await sendIn(replaying, { around: suppressTracing, scope: 'context' })).toBe('answered');
    expect(arrived).toBe(2);
    const told = replaying.report().notes.filter((note) => note.includes(place));
    expect(told).toEqual([
      expect.stringMatching(
        `^Telemetry to ${place} went out .* To keep it in, start that process with its exporters off`,
      ),
    ]);
  });

  it('is not what Reenact itself sends', async () => {
    const replaying = playerOf(recording);
    expect(await sendIn(replaying, { around: ownTelemetryContext })).toBe('answered');
    expect(replaying.report().notes.join()).not.toContain(place);
  });

  it('goes out where the process serves others than this replay, also from what goes on after it, during the next', async () => {
    const over = playerOf(recording);
    installGuard({ player: over.player, scope: 'context' })();
    const next = playerOf(recording);
    expect(await sendIn(next, { around: suppressTracing, scope: 'context', of: over })).toBe('answered');
  });
});
