import { expect, it } from 'vitest';
import { PROCESS_RUN_NAME } from './process-run.ts';
import type { Recording } from './recording.ts';
import { offeredReplay, replayingCommand, replayWords } from './replay-words.ts';

const started: Readonly<Record<string, unknown>> = { 'process.command_args': ['/bin/node', '/srv/app.js'] };

function recordingOf(name: string, ...lossy: readonly string[]): Recording {
  return recordingIn(started, name, ...lossy);
}

function recordingIn(
  resource: Readonly<Record<string, unknown>>,
  name: string,
  ...lossy: readonly string[]
): Recording {
  const crossing = { spanId: '1', kind: 'agent', name, dialect: 'reenact', lossy };
  return {
    resource: new Map(Object.entries(resource)),
    roots: [{ spanId: '1' }],
    crossings: [crossing],
    bySpanId: new Map([['1', crossing]]),
  } as unknown as Recording;
}

const mark = '/begun by what came over 10.0.0.5:6379 by ioredis';

it('replays a run by the command of its program, but one that this does not begin again by its function', () => {
  expect(replayWords(recordingOf('job'), 'latest')).toBe('replay latest -- node /srv/app.js');
  expect(replayWords(recordingOf('job', mark), 'latest')).toBe("replay latest --entry '<file>#<function>'");
});

it('replays the run of a process by the command, whatever it waited for: no function is it', () => {
  expect(replayWords(recordingOf(PROCESS_RUN_NAME, mark), 'latest')).toBe('replay latest -- node /srv/app.js');
});

it('asks for the command of a program that sets recording up itself and does not say how it was started', () => {
  const asked = 'replay latest -- <the command that starts your agent>';
  expect(replayWords(recordingIn({}, 'job'), 'latest')).toBe(asked);
  const entered = "replay latest --entry '<file>#<function>'";
  expect(replayWords(recordingIn({}, 'job', mark), 'latest')).toBe(entered);
  // The hook leaves the command out where it begins nothing, as in a worker thread.
  expect(replayWords(recordingIn({ 'reenact.recorder.version': '0.1.0' }, 'job'), 'latest')).toBe(entered);
});

it('serves what others recorded, and asks for the command where they do not say it', () => {
  const crossing = {
    spanId: '1',
    kind: 'model',
    name: 'chat',
    dialect: 'openinference',
    reconstructed: true,
    lossy: [],
  };
  const recording = { ...recordingIn({}, 'chat'), crossings: [crossing], bySpanId: new Map([['1', crossing]]) };
  const served = replayWords(recording as unknown as Recording, 'latest');
  expect(served).toBe('serve latest -- <the command that starts your agent>');
});

it('offers to serve all calls of a trace that others recorded, however many stand in it', () => {
  const calls = ['1', '2'].map((spanId) => ({ spanId, traceId: 'trace', kind: 'model', name: 'chat', lossy: [] }));
  const crossings = calls.map((call) => ({ ...call, dialect: 'otel-genai', reconstructed: true }));
  const bySpanId = new Map(crossings.map((crossing) => [crossing.spanId, crossing]));
  const recording = { ...recordingIn({}, 'chat'), crossings, roots: crossings, bySpanId };
  const offered = offeredReplay({ ...recording, replayability: { verdict: 'partial' } } as unknown as Recording);
  expect(offered).toBe('serve trace -- <the command that starts your agent>');
});

it('answers what was rebuilt of what others recorded from outside, and replays our own', () => {
  const rebuilt = [{ dialect: 'langfuse', reconstructed: true }, { dialect: 'langfuse' }];
  expect(replayingCommand({ crossings: rebuilt } as unknown as Recording)).toBe('serve');
  expect(replayingCommand({ crossings: [{ dialect: 'reenact' }] } as unknown as Recording)).toBe('replay');
});

it('offers a replay of the one run of a trace, that is not cold', () => {
  const judged = (verdict: string, ...more: readonly object[]): Recording => {
    const recording = recordingOf('job');
    return { ...recording, roots: [...recording.roots, ...more], replayability: { verdict } } as unknown as Recording;
  };
  expect(offeredReplay(judged('full'))).toBe('replay 1 -- node /srv/app.js');
  expect(offeredReplay(judged('cold'))).toBeUndefined();
  expect(offeredReplay(judged('full', { spanId: '2' }))).toBeUndefined();
  expect(offeredReplay(judged('full', { spanId: '2' }), 'run.jsonl')).toBe('replay run.jsonl -- node /srv/app.js');
});
