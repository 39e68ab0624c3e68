import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { notifySupervisor } from './notify-supervisor.ts';

const folder = mkdtempSync(join(tmpdir(), 'reenact-notify-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Tells under an environment; every line that was said. The true program is in test/interop/deploy. */
async function tell(environment: NodeJS.ProcessEnv): Promise<string[]> {
  const said: string[] = [];
  await notifySupervisor(environment, (line) => said.push(line));
  return said;
}

function program(name: string, script: string): string {
  const place = mkdtempSync(join(folder, 'bin-'));
  writeFileSync(join(place, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return place;
}

describe('telling systemd', () => {
  it('happens where systemd asked for it, with its socket, and nowhere else', async () => {
    const told = join(folder, 'told');
    const place = program('systemd-notify', `echo "$1 $NOTIFY_SOCKET" >> ${told}`);
    expect(await tell({ PATH: place })).toEqual([]);
    expect(await tell({ PATH: place, NOTIFY_SOCKET: '/run/systemd/notify' })).toEqual([]);
    expect(readFileSync(told, 'utf8')).toBe('--ready /run/systemd/notify\n');
  });

  it('says what went wrong, and goes on', async () => {
    const failing = program('systemd-notify', 'exit 3');
    expect(await tell({ PATH: failing, NOTIFY_SOCKET: '/gone' })).toEqual([expect.stringContaining('it ended with 3')]);
    const absent = program('another', 'exit 0');
    expect(await tell({ PATH: absent, NOTIFY_SOCKET: '/gone' })).toEqual([expect.stringContaining('ENOENT')]);
  });
});
