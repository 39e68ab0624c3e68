import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeTracesProtobuf, type SpanSlice, walkTracesProtobuf } from '@reenact/otlp';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Maintenance } from './maintenance.ts';
import { openStore } from './open-store.ts';
import type { StoreReader } from './store-reader.ts';
import type { TextKeeper } from './text-keeper.ts';
import type { WriterLink } from './worker/calls.ts';

function spanOf(number: number): readonly SpanSlice[] {
  const id = number.toString(16);
  const ids = { traceId: id.padStart(32, '0'), spanId: id.padStart(16, '0') };
  const span = { ...ids, name: 'span', startTimeUnixNano: '1', endTimeUnixNano: '2' };
  const walked = walkTracesProtobuf(encodeTracesProtobuf({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }));
  return walked.ok ? walked.spans : [];
}

it('tells why settling failed, also where tidying up after it fails as well', async () => {
  const told: (string | undefined)[] = [];
  const call = vi.fn(async (name: string) => {
    throw new Error(name === 'plan' ? 'the cause' : 'its consequence');
  });
  const maintenance = new Maintenance(
    { dataDirectory: '/data' },
    {
      writer: { call } as unknown as WriterLink,
      reader: {} as StoreReader,
      texts: { tidy: async () => undefined } as unknown as TextKeeper,
      onBackground: (error) => told.push(error),
    },
  );
  maintenance.wake();
  await vi.waitFor(() => expect(told).toHaveLength(1), { timeout: 20_000 });
  expect(told[0]).toContain('the cause');
  expect(call.mock.calls.map(([name]) => name)).toEqual(['plan', 'tidy']);
  await maintenance.stop();
});

it('settles by a clock that nobody sets back', async () => {
  const times: number[] = [];
  const call = async (name: string, ask: { readonly nowMs: number }) => {
    if (name === 'plan') times.push(ask.nowMs);
    return null;
  };
  const maintenance = new Maintenance(
    { dataDirectory: '/data' },
    {
      writer: { call } as unknown as WriterLink,
      reader: {} as StoreReader,
      texts: { tidy: async () => undefined } as unknown as TextKeeper,
      onBackground: undefined,
    },
  );
  vi.useFakeTimers({ toFake: ['Date'] });
  await maintenance.settle('due');
  vi.setSystemTime(Date.now() - 3_600_000);
  await maintenance.settle('due');
  vi.useRealTimers();
  expect(times).toHaveLength(2);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(0);
  await maintenance.stop();
});

describe('while senders send faster than it is settled', () => {
  let directory: string;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'reenact-maintenance-'));
    await (await openStore(directory)).close();
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('lets in between what somebody waits for, as a backup', async () => {
    const answers: Record<string, unknown> = {
      plan: { pack: 1, segments: [], packs: [], isHurried: false },
      apply: { segments: [], packs: [] },
    };
    const maintenance = new Maintenance(
      { dataDirectory: directory },
      {
        writer: { call: async (name: string) => answers[name] ?? null } as unknown as WriterLink,
        reader: { source: { forget: () => undefined } } as unknown as StoreReader,
        texts: { tidy: async () => undefined } as unknown as TextKeeper,
        onBackground: undefined,
      },
    );
    maintenance.wake();
    expect(await maintenance.hold(async () => 'copied')).toBe('copied');
    answers.plan = null;
    await maintenance.stop();
  });

  it('settles what there is when somebody asks for that, and does not go on with what comes meanwhile', async () => {
    const store = await openStore(directory);
    let isSettled = false;
    const settled = store.settle().then(() => {
      isSettled = true;
    });
    for (let number = 1; !isSettled; number += 1) await store.appendSpans('default', spanOf(number), []);
    await settled;
    await store.close();
  });
});
