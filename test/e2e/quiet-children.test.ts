import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'quiet-children.ts';
const hooked = { NODE_OPTIONS: '--import=reenact/register' };
/** Each test runs a dozen processes. */
const processesMs = 180_000;
let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});
afterAll(() => stage.stop());

describe('programs of Node.js that make no call of their own, started by an agent', () => {
  it(
    'are parts of its run, and say again what they said',
    async () => {
      const { run, recorded } = await recordRun(stage, script, hooked);
      // The agent, its tool, and eight processes; not that which the tool starts.
      expect(run).toMatchObject({ name: 'agent:quiet', crossingCount: 10, replayability: { verdict: 'full' } });
      const { report, result } = await replayAsJson(stage, run.rootSpanId, script);
      expect(report.divergences).toEqual([]);
      expect(report).toMatchObject({ verdict: 'reproduced', counts: { stubbed: 1, rerun: 9, compared: 10 } });
      expect(result.stderr).toContain(recorded.stdout.trim());
      // One of them is started with another word, and ends otherwise.
      const changed = await replayAsJson(stage, run.rootSpanId, script, { environment: { FAILS: 'works' } });
      const { divergences, exitCode } = changed.report;
      const [cause] = divergences.filter(({ causedBy }) => causedBy === undefined);
      expect(cause).toMatchObject({ kind: 'input-changed', path: 'agent:quiet/agent:process#7' });
      expect(exitCode).toBe(1);
    },
    processesMs,
  );

  it(
    'are a part of it, too, where it does not wait for them',
    async () => {
      await stage.node([script.replace('children', 'left')], hooked);
      const isThere = async (): Promise<void> => {
        const runs = (await listRuns(stage)).filter(({ name }) => name === 'agent:leaving');
        expect(runs).toMatchObject([{ crossingCount: 2, replayability: { verdict: 'full' } }]);
      };
      await vi.waitFor(isThere, { timeout: 60_000, interval: 200 });
    },
    processesMs,
  );

  it(
    'say nothing of a collector that is away',
    async () => {
      const apart = await setSmallStage();
      try {
        const { stderr } = await apart.node(['--import', 'reenact/register', script], {
          ...hooked,
          OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
        });
        // The agent's own line, and none of its children's, whose standard error is the agent's.
        expect(stderr.match(/could not be delivered/g)).toHaveLength(1);
        expect(readdirSync(join(apart.folder, 'spool'))).toHaveLength(9);
        const silent = await apart.node(['--import', 'reenact/register', script], { ...hooked, REENACT_SPOOL: 'off' });
        expect(silent.stderr).toBe('');
      } finally {
        await apart.stop();
      }
    },
    processesMs,
  );
});
