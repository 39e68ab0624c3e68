import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../conformance/testbed.ts';
import { BASE_IMAGE, provideBaseImage } from './base-image.ts';
import { type ContainerEngine, findContainerEngine } from './container-engine.ts';
import { buildImage, IMAGE, isReady, listRuns, SPAN, START_MS_MAX, sendSpan, TOKEN_SHA256, urlOf } from './deployed.ts';

const engine = findContainerEngine();
const base = engine === undefined ? undefined : await provideBaseImage(engine);
const BUILD_MS_MAX = 12 * 60 * 1_000;
/** More would be sources, tests or tools of the build. */
const ADDED_BYTES_MAX = 100_000_000;

/** Podman otherwise has folders for temporary files in memory, which Docker and Kubernetes have not. */
const readOnly = ['--read-only', ...(engine?.name.startsWith('Docker') ? [] : ['--read-only-tmpfs=false'])];

const tokens = JSON.stringify([{ name: 'local', sha256: TOKEN_SHA256, scopes: ['admin'] }]);

describe.skipIf(engine === undefined || base === undefined)(
  `the image, built and run by ${engine?.name}, base ${base}`,
  () => {
    // Undefined only where everything here is left out.
    const used = engine as ContainerEngine;
    const container = `reenact-image-${process.pid}`;
    beforeAll(() => buildImage(used), BUILD_MS_MAX);
    afterAll(async () => {
      await used.attempt(['rm', '--force', '--volumes', container]);
      await used.attempt(['image', 'prune', '--force']);
    });

    it('holds what the command loads and nothing else', async () => {
      const sizes = await Promise.all(
        [IMAGE, BASE_IMAGE].map(async (image) =>
          Number(await used.run(['image', 'inspect', '--format', '{{.Size}}', image])),
        ),
      );
      expect((sizes[0] ?? 0) - (sizes[1] ?? 0)).toBeLessThan(ADDED_BYTES_MAX);
      const list = ['run', '--rm', '--entrypoint', 'ls', IMAGE];
      expect((await used.run([...list, '/reenact'])).trim()).toBe('node_modules');
      expect(await used.run([...list, '/reenact/node_modules/@reenact/collector'])).not.toMatch(/^src$/m);
    });

    it('does not start without tokens, and says why', async () => {
      const { exitCode, stderr } = await used.attempt(['run', '--rm', IMAGE]);
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringContaining('Without tokens the collector listens on this machine only'),
      ]);
    });

    it('runs as a user without rights who may write to /data alone, is healthy, stops in order, and keeps what it was sent', async () => {
      const detached = ['run', '--detach', '--name', container, '--publish', '127.0.0.1::4318', '--cap-drop', 'ALL'];
      await used.run([...detached, ...readOnly, '--env', `REENACT_COLLECTOR_TOKENS=${tokens}`, IMAGE]);
      const first = await urlOf(used, container, 4318);
      await eventually('the collector', () => isReady(first), START_MS_MAX);
      expect(await used.run(['exec', container, 'id', '--user'])).toBe('1000\n');
      const check = (engine?.name ?? '').startsWith('Docker')
        ? async () =>
            (await used.run(['inspect', '--format', '{{.State.Health.Status}}', container])).trim() === 'healthy'
        : async () => (await used.attempt(['healthcheck', 'run', container])).exitCode === 0;
      await eventually('its health check', check, START_MS_MAX);
      expect(await sendSpan(first)).toBe(200);
      await used.run(['stop', container]);
      expect((await used.run(['inspect', '--format', '{{.State.ExitCode}}', container])).trim()).toBe('0');
      await used.run(['start', container]);
      const second = await urlOf(used, container, 4318);
      await eventually('the collector again', () => isReady(second), START_MS_MAX);
      expect(await listRuns(second)).toEqual([SPAN.traceId]);
    });
  },
);
