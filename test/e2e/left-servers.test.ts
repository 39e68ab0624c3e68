import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsOnceThere } from '../scenarios/runs-of.ts';
import type { Stage } from '../scenarios/stage.ts';
import { setSmallStage } from './small-stage.ts';

/** As `npx` and `npm start` start a program: the shell is told to stop, and does not hand that on. */
const command = ['sh', '-c', 'node own-port-service.ts; true'];
let stage: Stage;
let port: number;
let requests: readonly string[];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}

/** Whether somebody listens on the service's port. */
async function isTaken(): Promise<boolean> {
  const probe = connect(port, '127.0.0.1');
  try {
    await once(probe, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    probe.destroy();
  }
}

beforeAll(async () => {
  port = await freePort();
  stage = await setSmallStage({ SERVICE_PORT: String(port) });
  const service = await stage.start(['--import', 'reenact/register', 'own-port-service.ts']);
  for (const path of ['/ACME', '/INITECH']) await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  await service.stop();
  const runs = await runsOnceThere(stage, (all) => (all.length < 2 ? undefined : all));
  requests = runs.map(({ rootSpanId }) => rootSpanId);
});

afterAll(() => stage.stop());

describe('a service that a shell starts for a replay', () => {
  it('is stopped with it, and leaves its port to the next', async () => {
    const { exitCode, stdout, stderr } = await stage.reenact(['replay', ...requests, '--', ...command]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining('EADDRINUSE') });
    expect(stdout).toContain('Recordings: 2 of 2 runs reproduced.');
    expect(await isTaken()).toBe(false);
    expect(stdout + stderr).not.toContain('so this one ends');
  }, 120_000);
});
