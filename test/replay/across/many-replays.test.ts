import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePlan, replayServices } from '@reenact/replay';
import type { Recording, ReplayReport } from '@reenact/trace-model';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { findRecording } from 'reenact';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningCommand } from '../../scenarios/run-command.ts';
import { runsOnceThere } from '../../scenarios/runs-of.ts';
import { type Stage, setStage } from '../../scenarios/stage.ts';

const agentFolder = new URL('agent', import.meta.url).pathname;
const replayCount = 100;
let stage: Stage;
let service: RunningCommand;
let url: string;
let recorded: { recording: Recording; rootSpanId: string }[];
const answers = new Map<string, string>();

async function ask(wish: string): Promise<string> {
  const response = await fetch(`${url}/quotes`, { method: 'POST', body: wish });
  return response.text();
}

/** What the tool has done to the world, one line for each time. */
function book(): string[] {
  return readFileSync(join(stage.folder, 'book.txt'), 'utf8').split('\n').filter(Boolean);
}

function runsOfAll(count: number): Promise<readonly RunSummary[]> {
  return runsOnceThere(stage, (runs) =>
    runs.filter(({ crossingCount }) => crossingCount === 3).length >= count ? runs : undefined,
  );
}

beforeAll(async () => {
  stage = await setStage({
    agentFolder,
    environment: (folder) => ({
      OTEL_SERVICE_NAME: 'quoter',
      QUOTER_BOOK: join(folder, 'book.txt'),
      REENACT_REPLAY_ALLOW: 'shared',
      REENACT_REPLAY_KEY_FILE: join(folder, 'replay.key'),
    }),
  });
  writeFileSync(join(stage.folder, 'replay.key'), randomBytes(32).toString('base64'));
  const allowed = { REENACT_REPLAY_SERVICE: stage.grpcUrl };
  service = await stage.start(['--import', 'reenact/register', 'quoter.ts'], allowed);
  url = `http://127.0.0.1:${(JSON.parse(service.firstLine) as { port: number }).port}`;
  for (let index = 0; index < replayCount; index += 1) answers.set(`wish ${index}`, await ask(`wish ${index}`));
  const runs = await runsOfAll(replayCount);
  recorded = await Promise.all(runs.map(({ rootSpanId }) => findRecording(rootSpanId, stage.collectorUrl)));
});

afterAll(async () => {
  await service.stop();
  await stage.stop();
});

function replay({ recording, rootSpanId }: { recording: Recording; rootSpanId: string }): Promise<ReplayReport> {
  const key = readFileSync(join(stage.folder, 'replay.key'), 'utf8');
  const plan = makePlan({ throughServices: true }, recording, rootSpanId);
  return replayServices({ recording, rootSpanId, plan, url, settings: { address: stage.grpcUrl, key } });
}

describe('a shared process', { timeout: 120_000 }, () => {
  it(`answers ${replayCount} replays at once beside live traffic, each from its own recording`, async () => {
    expect(recorded).toHaveLength(replayCount);
    const before = book();
    expect(before).toHaveLength(replayCount * 2);
    const live = Array.from({ length: 50 }, (_, index) => `live ${index}`);
    const [reports, told] = await Promise.all([
      Promise.all(recorded.map(replay)),
      Promise.all(live.map((wish) => ask(wish))),
    ]);
    for (const report of reports) {
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
      expect(report.counts).toMatchObject({ rerun: 1, stubbed: 2, live: 0, compared: 3 });
      expect(report.outcome?.replayed).toBe(report.outcome?.recorded);
    }
    // What was served belongs to the wish that was asked; what was live went on being made.
    const wishes = reports.map(
      ({ outcome }) => /"(wish \d+) costs \d+/.exec(JSON.stringify(outcome?.replayed).replaceAll('\\', ''))?.[1],
    );
    expect(new Set(wishes).size).toBe(replayCount);
    told.forEach((answer, index) => {
      expect(answer).toMatch(new RegExp(`^\\["live ${index} costs \\d+","live ${index} again costs \\d+"\\]$`));
    });
    const after = book().slice(before.length);
    expect(after.toSorted()).toEqual(live.flatMap((wish) => [wish, `${wish} again`]).toSorted());
  });

  it('records the live traffic of that time and none of the replays', async () => {
    const runs = await runsOfAll(replayCount + 50);
    expect(runs).toHaveLength(replayCount + 50);
  });
});
