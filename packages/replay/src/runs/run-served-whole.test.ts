import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '@reenact/instrumentation';
import { buildRecording, type CrossingPlan, modelExchange } from '@reenact/recordings/testing';
import { runsBesideOf } from '@reenact/trace-model/reading';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileSink, ownProcessId, reportFileName } from '../events/event-sink.ts';
import { readEventLines } from '../events/read-event-lines.ts';
import type { StampedEvent } from '../events/replay-event.ts';
import { RecordedPlayer } from '../player/recorded-player.ts';
import { isOneCall } from '../recorded/one-call.ts';
import { makePlan, type PlanOptions } from '../resolution/plan.ts';
import { arrivalOf } from '../testdata/agent-model.ts';
import { recordingOfProcess } from '../testdata/recording-of-process.ts';
import { playerBeside } from './join-runs.ts';

const sell: CrossingPlan = { label: 'tool:sell', input: ['ACME'], output: 'sold', effect: 'destructive' };
const agent: CrossingPlan = { label: 'agent:a', output: 'done', children: [sell] };

let folder: string;
let sink: FileSink;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-served-'));
  sink = FileSink.open(folder);
});

afterEach(() => {
  sink.close();
  rmSync(folder, { recursive: true });
});

function reported(): StampedEvent[] {
  return readEventLines(readFileSync(join(folder, reportFileName(ownProcessId())), 'utf8'), 'report', []);
}

/** The answer that the only run beside the replayed one gives to its root, called with this. */
function answerBeside(first: CrossingPlan, input: unknown, options: PlanOptions = {}): Answer {
  const recording = recordingOfProcess([first, agent]);
  const rootSpanId = recording.roots[0]?.spanId ?? '';
  const plan = makePlan(options, recording, rootSpanId);
  const made = { recording, rootSpanId, plan, replayId: 'r', process: 'dedicated', sink } as const;
  const [beside] = runsBesideOf(recording, rootSpanId).runs;
  if (beside === undefined) throw new TypeError('there is a run before');
  return playerBeside({ made, sink }, beside).answer(arrivalOf({ label: first.label, input }, undefined));
}

describe('a run beside the replayed one', () => {
  it('that is a call alone is served, also where the plan says live of the replayed one', async () => {
    const answer = answerBeside(sell, ['ACME'], { live: ['tool:sell'] });
    expect(answer).toMatchObject({ type: 'stub', recorded: { path: 'tool:sell' } });
    if (answer.type === 'stub') await answer.release.settle();
    const events = reported();
    expect(events.map(({ event }) => event.type)).toEqual(expect.arrayContaining(['met', 'outcome']));
    expect(new Set(events.map(({ run }) => run)).size).toBe(1);
    expect(events[0]?.run).toMatch(/^1/);
  });

  it('that is a call alone with another input diverges', () => {
    expect(answerBeside(sell, ['OTHER']).type).toBe('stub');
    const kinds = reported().flatMap(({ event }) => (event.type === 'divergence' ? [event.kind] : []));
    expect(kinds).toEqual(['input-changed']);
  });

  it('that is an agent runs again', () => {
    expect(answerBeside(agent, [])).toMatchObject({ type: 'run', mode: 'rerun' });
  });
});

describe('a root that is one call', () => {
  const recording = buildRecording({
    label: 'model:openai.chat',
    call: 'exchange',
    exchanges: [modelExchange({ ok: true })],
  });
  const [root] = recording.roots;
  if (root === undefined) throw new TypeError('it has a root');

  function answerOf(options: PlanOptions, servesRoot: boolean): Answer {
    const plan = makePlan(options, recording, root?.spanId);
    const made = {
      recording,
      rootSpanId: root?.spanId ?? '',
      plan,
      replayId: 'r',
      process: 'dedicated',
      sink,
    } as const;
    return new RecordedPlayer({ ...made, servesRoot }).answer(
      arrivalOf({ label: 'model:openai.chat', input: [] }, undefined),
    );
  }

  it('is told from what has code of its own', () => {
    expect(isOneCall(recording, root)).toBe(true);
    for (const plan of [
      sell,
      agent,
      { ...agent, label: 'model:m', exchanges: [modelExchange({ ok: true })] } as const,
    ]) {
      const other = buildRecording(plan);
      expect(other.roots.map((one) => isOneCall(other, one))).toEqual([false]);
    }
  });

  it('is served where its command is replayed, unless it is named live', () => {
    expect(answerOf({}, true).type).toBe('stub');
    expect(answerOf({ live: ['model:openai.chat'] }, true)).toMatchObject({ type: 'run', mode: 'live' });
    expect(answerOf({}, false)).toMatchObject({ type: 'run', mode: 'rerun' });
  });
});
