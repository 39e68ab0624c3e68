import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { agent, identify, tool, withIdentity } from '@reenact/instrumentation';
import { replay } from '@reenact/replay';
import type { Crossing, Recording } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRun } from './recorded-run.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => {
  context.disable();
});

const quote = tool('quote', async (symbol: string) => symbol.length, { requires: ['user.id', 'tenant'] });
const order = tool('order', async (symbol: string) => {
  const price = await quote(symbol);
  identify({ sessionId: 's-9' });
  return price + (await quote(`${symbol}!`));
});
const trader = agent('trader', async (symbol: string) => {
  identify({ userId: 'u-1' });
  return order(symbol);
});

function named(recording: Recording, name: string): Crossing[] {
  return recording.crossings.filter((crossing) => crossing.name === name);
}

function saysOf({ attributes }: Crossing): Record<string, unknown> {
  const keys = ['user.id', 'reenact.tenant', 'session.id', 'reenact.identity.late', 'reenact.requires.missing'];
  return Object.fromEntries(keys.flatMap((key) => (attributes.has(key) ? [[key, attributes.get(key)]] : [])));
}

describe('a replay that enters below the code that said whom the run is for', () => {
  it('says the same of every crossing as the recording, and flags none that was not', async () => {
    const recording = await recordRun(() => withIdentity({ tenant: 'acme' }, () => trader('ACME')));
    const [entered] = named(recording, 'order');
    expect(saysOf(entered as Crossing)).toMatchObject({ 'reenact.identity.late': ['session.id'], 'session.id': 's-9' });
    const again = await recordRun(async () => {
      const report = await replay({ recording, rootSpanId: entered?.spanId, entry: order });
      expect(report.verdict).toBe('reproduced');
    });
    for (const name of ['order', 'quote']) {
      expect(named(again, name).map(saysOf)).toEqual(named(recording, name).map(saysOf));
    }
    expect(named(again, 'quote').map(saysOf)).toEqual([
      { 'user.id': 'u-1', 'reenact.tenant': 'acme' },
      { 'user.id': 'u-1', 'reenact.tenant': 'acme', 'session.id': 's-9' },
    ]);
  });

  it('leaves to the code what the code says itself: a call before that is flagged again', async () => {
    const late = agent('late', async () => {
      await quote('ACME');
      identify({ userId: 'u-2' });
    });
    const recording = await recordRun(() => withIdentity({ tenant: 'acme' }, () => late()));
    const again = await recordRun(() => replay({ recording, entry: late }));
    expect(named(again, 'quote').map(saysOf)).toEqual([
      { 'reenact.tenant': 'acme', 'reenact.requires.missing': ['user.id'] },
    ]);
    expect(named(again, 'late').map(saysOf)).toEqual(named(recording, 'late').map(saysOf));
  });
});
