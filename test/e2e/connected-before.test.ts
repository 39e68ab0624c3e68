import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsOnceThere } from '../scenarios/runs-of.ts';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'connected-before.ts';
let service: Server;
let address: string;
let stage: Stage;
const accepted = new Set<Socket>();

beforeAll(async () => {
  service = createServer((socket) => {
    accepted.add(socket);
    socket.on('error', () => undefined).on('data', () => socket.write('forty-two'));
  });
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  const { port } = service.address() as AddressInfo;
  address = `127.0.0.1:${port}`;
  stage = await setSmallStage({ SERVICE_PORT: String(port) });
});

afterAll(async () => {
  await stage.stop();
  for (const socket of accepted) socket.destroy();
  service.close();
});

/** The runs of a service that is asked twice. */
async function recordService(environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const started = await stage.start(['--import', 'reenact/register', script], environment);
  const { port } = JSON.parse(started.firstLine) as { port: number };
  const path = `/waits-${environment.WAITS}-${environment.SETS_UP ?? '0'}`;
  for (let count = 0; count < 2; count += 1)
    expect(await (await fetch(`http://127.0.0.1:${port}${path}`)).text()).toBe('forty-two');
  await started.stop('SIGTERM');
  return runsOnceThere(stage, (runs) => {
    const roots = runs.filter(({ name }) => name === `agent:GET ${path}`).map(({ rootSpanId }) => rootSpanId);
    return roots.length < 2 ? undefined : roots;
  });
}

async function replayabilityOf(rootSpanId: string): Promise<unknown> {
  const shown = await stage.reenact(['show', rootSpanId, '--json']);
  return (JSON.parse(shown.stdout) as { replayability: unknown }).replayability;
}

const full = { verdict: 'full', missing: [] };

function partial(): object {
  return { verdict: 'partial', missing: [{ cause: 'unseen-connection', detail: `before the run: ${address}` }] };
}

describe('a connection that a program opens before its runs, and only tools use', () => {
  it('keeps no request of a service that went on without it from its replay, which tells of it', async () => {
    const environment = { WAITS: '0' };
    for (const root of await recordService(environment)) {
      expect(await replayabilityOf(root)).toMatchObject(full);
      const { report } = await replayAsJson(stage, root, script, { environment });
      expect(report).toMatchObject({ exitCode: 0, divergences: [] });
      const note = report.notes.find((text) => text.includes(address));
      expect(note).toMatch(
        /was refused: .*, before agent:GET \/waits-0-0 began\. .* Nothing of the run differed for it\.$/,
      );
    }
  });

  it.each([
    ['', {}],
    [', behind a call that was recorded', { SETS_UP: '1' }],
  ])('is named by each request of a service that waited for it%s: its replay never listens', async (_, setUp) => {
    const environment = { WAITS: '1', ...setUp };
    for (const root of await recordService(environment)) {
      expect(await replayabilityOf(root)).toMatchObject(partial());
      const { report } = await replayAsJson(stage, root, script, { environment });
      expect([report.exitCode, report.divergences[0]?.kind]).toEqual([3, 'forbidden']);
    }
  });

  it.each([
    ['goes on without', '0', 0, () => full],
    ['waits', '1', 3, partial],
  ])(
    'is named by the run of a script that waited for it, and by no other: one that %s',
    async (_, waits, exitCode, said) => {
      const environment = { AS: 'script', WAITS: waits };
      const { run, recorded } = await recordRun(stage, script, environment);
      expect(recorded.stdout).toBe('forty-two\n');
      expect(await replayabilityOf(run.rootSpanId)).toMatchObject(said());
      const { report } = await replayAsJson(stage, run.rootSpanId, script, { environment });
      expect(report.exitCode).toBe(exitCode);
    },
  );
});
