import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { type ReplayResult, replay } from '@reenact/replay';
import { decodeValue, type Recording } from '@reenact/trace-model';
import { expect } from 'vitest';
import { makeRun, RUN_STEPS, type RunRequest, textOf, type Witness } from './killed-run.ts';

type Seen = readonly [id: number, characters: number];

/** Runs the agent again; `live`: span ids of calls that are made for real. */
async function replayed(
  recording: Recording,
  request: RunRequest,
  live: readonly string[],
): Promise<{ seen: Seen[]; report: ReplayResult<unknown> }> {
  const seen: Seen[] = [];
  const run = makeRun(({ id, characters }, { text }) => {
    expect(text).toBe(textOf(id, characters));
    seen.push([id, characters]);
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  try {
    return { report: await replay({ recording, live, run: () => run(request) }), seen };
  } finally {
    context.disable();
  }
}

/**
 * Runs one run of a killed agent again over what was kept of it. It gets every result that its host had, in their order; only
 * calls that are pending are made for real, because they would stay so for ever. Where nothing is missing, the run is reproduced.
 */
export async function replayKilled(recording: Recording, witnesses: readonly Witness[]): Promise<void> {
  const [root, ...below] = recording.crossings;
  expect([root?.path, recording.roots.length]).toEqual(['agent:run', 1]);
  const [request] = (root?.input === undefined ? [] : decodeValue(root.input)) as readonly [RunRequest];
  const pending = below.filter(({ outcome }) => outcome.type === 'pending').map(({ spanId }) => spanId);
  const { seen, report } = await replayed(recording, request, pending);
  // The process may have died between a result and the line that tells of it, or inside a call.
  const beyond = seen.slice(witnesses.length);
  expect(seen).toEqual([...witnesses.map(({ id, characters }) => [id, characters]), ...beyond]);
  expect(beyond.length).toBeLessThanOrEqual(1);
  const found = new Set(report.divergences.map(({ kind }) => kind));
  for (const kind of ['input-changed', 'reordered', 'moved', 'unconsumed'] as const) expect(found).not.toContain(kind);
  // What it did after its death was never recorded: it is refused, and called for real by nobody.
  if (seen.length < RUN_STEPS) expect(report.error).toMatchObject({ code: 'replay-refused' });
  else expect(report.error).toBeUndefined();
  if (root?.outcome.type === 'returned' && pending.length === 0) {
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
  }
}
