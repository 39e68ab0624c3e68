import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { tool } from '@reenact/instrumentation';
import { CANONICAL_POLICIES } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { virtualRun } from '../testdata/virtual-run.ts';
import { RaisedMessages } from './raised-messages.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => {
  context.disable();
});

const second = 1_000_000;

describe('a signal that was recorded', () => {
  it('is not raised in a process that others use, and the report says so', async () => {
    let isHeard = false;
    const hear = (): void => {
      isHeard = true;
    };
    process.on('SIGTERM', hear);
    const look = tool('look', async () => 'live');
    const signal = {
      label: 'message:SIGTERM' as const,
      canonical: CANONICAL_POLICIES.delivery.name,
      input: ['SIGTERM'],
    };
    const report = await virtualRun(async () => void (await look()), {
      children: [
        { ...signal, call: 'sync', output: undefined, startUs: second, endUs: second, settled: 0 },
        { label: 'tool:look', output: 'recorded', startUs: second / 2, endUs: 2 * second, settled: 1 },
      ],
    });
    process.off('SIGTERM', hear);
    expect(isHeard).toBe(false);
    expect(report).toMatchObject({ divergences: [], exitCode: 2 });
    expect(report.notes.join()).toContain('SIGTERM reached the program when this was recorded. It was not raised');
  });

  it('comes once where it was recorded in several runs, when all of them have come to it', () => {
    const raised = new RaisedMessages();
    const told: string[] = [];
    const signal = { name: 'SIGTERM', startTimeUnixNano: 1n };
    raised.expect(signal);
    raised.expect(signal);
    raised.due(signal, (isHanded) => told.push(`first ${isHanded}`));
    expect(told).toEqual([]);
    raised.due(signal, (isHanded) => told.push(`second ${isHanded}`));
    raised.due(signal, (isHanded) => told.push(`late ${isHanded}`));
    expect(told).toEqual(['first false', 'second true', 'late false']);
  });

  it('is not waited for by a run that has gone', () => {
    const raised = new RaisedMessages();
    const told: string[] = [];
    const signal = { name: 'SIGTERM', startTimeUnixNano: 1n };
    raised.expect(signal);
    raised.expect(signal);
    raised.due(signal, () => told.push('gone'))();
    raised.due(signal, () => told.push('first'))();
    expect(told).toEqual([]);
  });
});
