import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG_KEYS, checkCollectorConfig, parseCollectorConfig } from '@reenact/collector';
import { describe, expect, it } from 'vitest';

const root = new URL('../../..', import.meta.url).pathname;
const read = (name: string) => readFileSync(join(root, 'collector/deploy', name), 'utf8');

const variables = new Map(
  CONFIG_KEYS.map((key) => [
    `REENACT_COLLECTOR_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
    key,
  ]),
);

/** Variables a file sets, by the key of the configuration that each sets. */
function settingsIn(text: string, pattern: RegExp): Map<string | undefined, string> {
  return new Map([...text.matchAll(pattern)].map(([, variable = '', value = '']) => [variables.get(variable), value]));
}

// What needs no program of others: that everything they name exists. The rest is in test/interop/deploy.
describe('the files of collector/deploy', () => {
  it('the image copies, checks and starts what is there, and opens the ports that are listened on', () => {
    const file = read('Dockerfile');
    const [, entry = ''] = /ENTRYPOINT \["node", "\/reenact\/([^"]+)", "collect"\]/.exec(file) ?? [];
    expect(existsSync(join(root, entry))).toBe(true);
    const settings = settingsIn(file, /(REENACT_COLLECTOR_\w+)=(\S+)/g);
    expect([...settings.keys()]).toEqual(['host', 'dataDirectory']);
    expect(file).toContain(`VOLUME ${settings.get('dataDirectory')}`);
    const { httpPort, grpcPort } = parseCollectorConfig({});
    expect(file).toContain(`EXPOSE ${grpcPort} ${httpPort}`);
    expect(file).toContain(`HEALTHCHECK CMD ["node", "/reenact/${entry}", "health"]`);
  });

  it('the compose file names an image file that exists, settings that are known, and a token to be given', () => {
    const file = read('compose.yaml');
    const [, dockerfile = ''] = /dockerfile: (\S+)/.exec(file) ?? [];
    expect(existsSync(join(root, dockerfile))).toBe(true);
    const settings = settingsIn(file, /(REENACT_COLLECTOR_\w+): '?(.*?)'?$/gm);
    expect([...settings.keys()]).toEqual(['tokens', 'forward', 'logLevel']);
    const given = Object.fromEntries(
      [...settings].map(([key, value]) => {
        const filled = value.replace(/\$\{REENACT_TOKEN_SHA256:\?[^}]*\}/, 'a'.repeat(64));
        return [key ?? '', filled.startsWith('[') ? (JSON.parse(filled) as unknown) : filled];
      }),
    );
    const config = parseCollectorConfig({ ...given, host: '0.0.0.0' });
    expect(checkCollectorConfig(config).tokens).toBe(1);
    for (const { url } of config.forward) expect(file).toContain(`\n  ${new URL(url).hostname}:\n`);
  });

  it('the unit checks and starts with one file, stores where it may write, and waits longer than a stop does', () => {
    const file = read('reenact-collector.service');
    const [checked, started] = [...file.matchAll(/^ExecStart(?:Pre)?=.* (\/\S+)$/gm)].map(([, path]) => path);
    expect(checked).toBe(started);
    const config = parseCollectorConfig(JSON.parse(read('collector.json')));
    const [, state = ''] = /^StateDirectory=(\S+)$/m.exec(file) ?? [];
    expect(config.dataDirectory.startsWith(`/var/lib/${state}/`)).toBe(true);
    const [, seconds = '0'] = /^TimeoutStopSec=(\d+)$/m.exec(file) ?? [];
    expect(Number(seconds) * 1000).toBeGreaterThan(config.limits.stopGraceMs);
    expect(checkCollectorConfig(config)).toEqual({ tokens: 0, isEncrypted: false, warnings: [] });
  });

  it.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)(
    'systemd finds nothing wrong with the unit',
    () => {
      const unit = join(root, 'collector/deploy/reenact-collector.service');
      const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
      expect(`${status} ${stdout}${stderr}`.trim()).toBe('0');
    },
  );
});
