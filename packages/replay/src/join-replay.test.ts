import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildRecording } from '@reenact/recordings/testing';
import { isReenactError, type ReenactError } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownProcessId, reportFileName } from './events/event-sink.ts';
import { joinReplay } from './join-replay.ts';
import { childEnvironment } from './process/child-environment.ts';
import { createReplayDirectory, gatherReports, removeReplayDirectory } from './process/replay-directory.ts';
import { createPositionKey } from './propagation/position-token.ts';
import { makePlan } from './resolution/plan.ts';
import { arrivalOf } from './testdata/agent-model.ts';

const recording = buildRecording({
  label: 'agent:a',
  children: [{ label: 'tool:t', input: ['one'], output: 1 }],
});
const replayId = 'abcdef0123456789';
let directory: string;
let environment: NodeJS.ProcessEnv;

beforeEach(() => {
  const key = createPositionKey();
  const rootSpanId = recording.roots[0]?.spanId ?? '';
  directory = createReplayDirectory(recording, { replayId, rootSpanId, plan: makePlan({}, recording), key });
  environment = childEnvironment({}, { replayId, key, directory, registerUrl: 'file:///register.mjs' });
});

afterEach(() => removeReplayDirectory(directory));

function refusal(): ReenactError {
  try {
    joinReplay(environment);
  } catch (error) {
    if (isReenactError(error)) return error;
    throw error;
  }
  throw new TypeError('the process joined');
}

function rewrite(name: string, change: (text: string) => string): void {
  const path = join(directory, name);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

describe('joining a replay', () => {
  it('is nothing where there is no replay', () => {
    expect(joinReplay({})).toBeUndefined();
  });

  it('stands above the root and answers from the recording', () => {
    const joined = joinReplay(environment);
    expect(joined).toMatchObject({
      replayId,
      position: { cursor: undefined },
      player: { dedicated: true },
      processRun: 'none',
    });
    const answered = (label: 'agent:a' | 'tool:t', input: unknown) =>
      joined?.player.answer(arrivalOf({ label, input }, undefined)).type;
    // What is called before the run begins is none of its crossings; afterwards it has lost its context.
    expect([answered('tool:t', ['one']), answered('agent:a', []), answered('tool:t', ['one'])]).toEqual([
      'refuse',
      'run',
      'stub',
    ]);
    const { events, notes } = gatherReports(directory);
    expect(events.map(({ event }) => event.type)).toEqual(['joined', 'divergence', 'met', 'met', 'met']);
    expect(notes).toEqual([]);
  });

  it('signs positions for other processes, and takes only its own back', () => {
    const player = joinReplay(environment)?.player;
    if (player === undefined) throw new TypeError('the process joins');
    const token = player.positionToken?.({ player, cursor: '0000000000000002' }) ?? '';
    const position = player.positionOfToken?.(token);
    expect([position?.cursor, position?.player.replayId]).toEqual(['0000000000000002', player.replayId]);
    expect(player.positionOfToken?.(token.replace('.0000000000000002.', '.0000000000000001.'))).toBeUndefined();
  });
});

describe('a replay that cannot be joined', () => {
  it.each([
    ['its recording was cut', 'recording.otlp.jsonl', (text: string) => text.slice(0, -20)],
    ['its recording was changed', 'recording.otlp.jsonl', (text: string) => text.replace('one', 'two')],
    ['its order is not JSON', 'replay.json', (text: string) => text.slice(1)],
    ['its order has an unknown version', 'replay.json', (text: string) => text.replace('"version":1', '"version":2')],
    ['its order holds more than is known', 'replay.json', (text: string) => text.replace('{', '{"extra":1,')],
    [
      'its plan has an unknown policy',
      'replay.json',
      (text: string) => text.replace('"rules":[]', '"rules":[{"selector":"tool:t","policy":"LIVE"}]'),
    ],
  ])('because %s', (_, name, change) => {
    rewrite(name, change);
    expect(refusal().code).toBe('recording-damaged');
    expect(gatherReports(directory).events.map(({ event }) => event.type)).toEqual(['failed']);
  });

  it('because a file is missing', () => {
    rmSync(join(directory, 'recording.otlp.jsonl'));
    expect(refusal().code).toBe('driver-failed');
  });

  it('because the replay is over', () => {
    removeReplayDirectory(directory);
    expect(refusal().next).toContain('REENACT_REPLAY');
  });

  it('because its position is missing, forged or of another replay', () => {
    const token = environment.BAGGAGE ?? '';
    for (const baggage of [undefined, 'tenant=acme', token.replace('.-.', '.0000000000000002.'), `${token}x`]) {
      environment = { ...environment, BAGGAGE: baggage };
      expect(refusal().message).toContain('not signed by this replay');
    }
  });
});

describe('gathering reports', () => {
  it('keeps what a killed process had written, and notes the half line', () => {
    joinReplay(environment);
    appendFileSync(join(directory, reportFileName(ownProcessId())), '{"processId":"1","atUs":');
    const { events, notes } = gatherReports(directory);
    expect(events.map(({ event }) => event.type)).toEqual(['joined']);
    expect(notes).toEqual([expect.stringContaining('middle of a line')]);
  });

  it('leaves out what is not a report, and says so', () => {
    writeFileSync(join(directory, 'report-1.ndjson'), '{"processId":"1","atUs":1,"event":{"type":"surprise"}}\nnope\n');
    expect(gatherReports(directory)).toMatchObject({
      events: [],
      notes: [expect.stringContaining('Line 1'), expect.stringContaining('Line 2')],
    });
  });
});
