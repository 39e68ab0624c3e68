import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, wrapSpans } from '../../conformance/testbed.ts';
import { provideBaseImage } from './base-image.ts';
import { type ContainerEngine, findContainerEngine } from './container-engine.ts';
import { SPAN, START_MS_MAX } from './deployed.ts';
import { Machine, UNIT } from './machine.ts';

const engine = findContainerEngine();
// Docker hides what systemd needs of the machine; Podman knows how to run it.
const usable = engine?.name.startsWith('podman') === true ? engine : undefined;
const base = usable === undefined ? undefined : await provideBaseImage(usable);
const BUILD_MS_MAX = 15 * 60 * 1_000;

describe.skipIf(usable === undefined || base === undefined)('the unit, started by systemd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reenact-unit-'));
  const machine = new Machine(usable as ContainerEngine, folder);
  beforeAll(() => machine.start(), BUILD_MS_MAX);
  afterAll(async () => {
    await machine.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has started when it serves, as a user that exists only for it', async () => {
    await machine.configure();
    await machine.on('systemctl', 'enable', '--now', UNIT);
    expect(await machine.ask(`console.log((await fetch('http://127.0.0.1:4318/health/ready')).status)`)).toBe('200\n');
    const status = await machine.on('cat', `/proc/${await machine.property('MainPID')}/status`);
    expect(status).not.toMatch(/^Uid:\s+0\s/m);
    expect(await machine.on('stat', '--format', '%a', '/var/lib/private/reenact')).toBe('700\n');
  });

  it('reads its configuration again when it is told to, and goes on in the same process', async () => {
    const before = await machine.property('MainPID');
    await machine.configure({ logLevel: 'debug' });
    await machine.on('systemctl', 'reload', UNIT);
    await eventually('the reload', async () => (await machine.journal()).includes('"event":"reloaded"'), START_MS_MAX);
    expect([await machine.property('ActiveState'), await machine.property('MainPID')]).toEqual(['active', before]);
  });

  it('is started again after a crash, with everything it had acknowledged', async () => {
    const body = JSON.stringify(JSON.stringify(wrapSpans([SPAN])));
    const sent = await machine.ask(`const answer = await fetch('http://127.0.0.1:4318/v1/traces', { method: 'POST',
      headers: { 'content-type': 'application/json' }, body: ${body} }); console.log(answer.status)`);
    expect(sent).toBe('200\n');
    await machine.on('systemctl', 'kill', '--signal=KILL', UNIT);
    const isBack = async () =>
      (await machine.property('NRestarts')) === '1' && (await machine.property('ActiveState')) === 'active';
    await eventually('the restart', isBack, START_MS_MAX);
    const listed = await machine.ask(`const answer = await fetch('http://127.0.0.1:4318/api/v1/runs');
      console.log((await answer.json()).runs.map((run) => run.traceId).join())`);
    expect(listed).toBe(`${SPAN.traceId}\n`);
  });

  it('stops in order', async () => {
    await machine.on('systemctl', 'stop', UNIT);
    const ended = [await machine.property('Result'), await machine.property('ExecMainStatus')];
    expect(ended).toEqual(['success', '0']);
  });

  it('may do little else on the machine, as systemd reckons it', async () => {
    expect(await machine.attempt('systemd-analyze', 'security', '--threshold=40', UNIT)).toMatchObject({ exitCode: 0 });
  });

  it('has a port below 1024 where it is given what its file says', async () => {
    const capability = 'CAP_NET_BIND_SERVICE';
    const lines = ['[Service]', `CapabilityBoundingSet=${capability}`, `AmbientCapabilities=${capability}`].join('\\n');
    const folder = `/etc/systemd/system/${UNIT}.d`;
    await machine.on('sh', '-c', `mkdir ${folder} && printf '${lines}\\n' > ${folder}/port.conf`);
    // Some containers let everybody have such ports.
    await machine.on('sh', '-c', 'echo 1024 > /proc/sys/net/ipv4/ip_unprivileged_port_start');
    await machine.on('systemctl', 'daemon-reload');
    await machine.configure({ httpPort: 80 });
    await machine.on('systemctl', 'start', UNIT);
    expect(await machine.ask(`console.log((await fetch('http://127.0.0.1:80/health/ready')).status)`)).toBe('200\n');
    await machine.on('systemctl', 'stop', UNIT);
  });

  it('is not started with a configuration that cannot be used, and the journal says why', async () => {
    await machine.configure({ logLevle: 'info' });
    expect((await machine.attempt('systemctl', 'start', UNIT)).exitCode).not.toBe(0);
    expect(await machine.journal()).toContain('logLevle');
  });
});
