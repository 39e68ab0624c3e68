import { type Context, context, DiagLogLevel, diag } from '@opentelemetry/api';
import { agent } from '@reenact/instrumentation';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeLibraries } from './describe-libraries.ts';
import { FAULTS, fail, visibleFailures } from './faults.ts';
import { type FidelityAct, type FidelityLibrary, isAct, type Peer } from './fidelity-library.ts';
import { FidelityHost } from './record-then-replay.ts';

/** Every place of ours fails in a run of its own. */
const SABOTAGE_TIMEOUT_MS = 600_000;

function actsOf({ cases }: FidelityLibrary): FidelityAct[] {
  return [cases.call, cases.stream, cases['mid-stream error']].filter(isAct);
}

async function runAll(acts: readonly FidelityAct[], peer: Peer): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const act of acts) results.push(await act.run(peer));
  return results;
}

/** A run that goes on: what is broken then is met inside of it. */
interface OpenRun {
  readonly context: Context;
  end(): Promise<void>;
}

function openRun({ isOfRuns }: FidelityLibrary): OpenRun {
  let inside = context.active();
  let end = (): void => undefined;
  if (isOfRuns !== true) return { context: inside, end: async () => undefined };
  const run = agent('run', () => {
    inside = context.active();
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  })();
  return {
    context: inside,
    end: () => {
      end();
      return run;
    },
  };
}

describeLibraries(', with ours broken', (library) => {
  const acts = actsOf(library);
  const reported: string[] = [];
  let peer: Peer;
  let host: FidelityHost;
  let plain: unknown[];
  let undo: () => void;
  let run: OpenRun;
  beforeEach(async () => {
    peer = await library.start();
    plain = await runAll(acts, peer);
    diag.setLogger(
      {
        error: (message) => reported.push(message),
        warn: fail,
        info: fail,
        debug: () => undefined,
        verbose: () => undefined,
      },
      { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
    );
    host = new FidelityHost();
    undo = library.patch();
    run = openRun(library);
  });
  afterEach(async () => {
    await run.end();
    undo();
    await host.stop();
    await peer.stop();
    diag.disable();
    expect(new Set(reported).size).toBe(reported.length);
  });

  it.each(FAULTS)('because %s: the host sees the same', async (_fault, breakIt) => {
    const mend = breakIt();
    try {
      expect(await context.with(run.context, () => runAll(acts, peer))).toStrictEqual(plain);
    } finally {
      mend();
    }
  });

  it(
    'at every place that reads what the host gave, one after the other: the host sees the same',
    async () => {
      expect(await visibleFailures(() => context.with(run.context, () => runAll(acts, peer)), plain)).toEqual([]);
    },
    SABOTAGE_TIMEOUT_MS,
  );
});
