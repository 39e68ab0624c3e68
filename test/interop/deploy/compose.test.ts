import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { eventually } from '../../conformance/testbed.ts';
import { peerPath } from '../peers/peer.ts';
import { BASE_IMAGE, provideBaseImage } from './base-image.ts';
import { type ContainerEngine, findContainerEngine } from './container-engine.ts';
import { isReady, REPOSITORY, SPAN, START_MS_MAX, sendSpan, TOKEN_SHA256, urlOf } from './deployed.ts';

const engine = findContainerEngine();
const base = engine === undefined ? undefined : await provideBaseImage(engine);
const jaegerProgram = peerPath('jaeger');
/** Compose builds the image first. */
const UP_MS_MAX = 12 * 60 * 1_000;

const text = readFileSync(`${REPOSITORY}/collector/deploy/compose.yaml`, 'utf8');
const [, jaegerImage = ''] = /image: (jaegertracing\/\S+)/.exec(text) ?? [];
const folder = mkdtempSync(join(tmpdir(), 'reenact-compose-'));

/** Jaeger's image: fetched, or made of the peer as Jaeger's own Dockerfile makes one. */
async function provideJaeger({ attempt, run }: ContainerEngine, program: string): Promise<void> {
  const image = `docker.io/${jaegerImage}`;
  if ((await attempt(['image', 'inspect', image])).exitCode === 0) return;
  if ((await attempt(['pull', image])).exitCode === 0) return;
  const lines = [
    `FROM ${BASE_IMAGE}`,
    'ENV JAEGER_LISTEN_HOST=0.0.0.0',
    'COPY jaeger /jaeger',
    'ENTRYPOINT ["/jaeger"]',
  ];
  writeFileSync(join(folder, 'Containerfile'), `${lines.join('\n')}\n`);
  copyFileSync(program, join(folder, 'jaeger'));
  await run(['build', '--file', join(folder, 'Containerfile'), '--tag', image, folder]);
}

/** The file with free ports instead of the usual ones, which this machine may use, and its context by its whole path. */
function movedFile(): string {
  const file = join(folder, 'compose.yaml');
  const moved = text.replaceAll(/127\.0\.0\.1:\d+:/g, '127.0.0.1::');
  writeFileSync(file, moved.replace('context: ../..', `context: ${REPOSITORY}`));
  return file;
}

describe.skipIf(engine === undefined || base === undefined || jaegerProgram === undefined)(
  `the compose file, brought up by ${engine?.name}`,
  () => {
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it(
      'has a collector that sends on to Jaeger what it is sent',
      async () => {
        const { run, attempt, compose } = engine as ContainerEngine;
        await provideJaeger(engine as ContainerEngine, jaegerProgram as string);
        const project = `reenact-${process.pid}`;
        const inProject = ['--project-name', project, '--file', movedFile()];
        const environment = { REENACT_TOKEN_SHA256: TOKEN_SHA256 };
        try {
          await compose([...inProject, 'up', '--detach'], environment);
          const names = (await run(['ps', '--format', '{{.Names}}']))
            .split('\n')
            .filter((name) => name.startsWith(project));
          const of = (service: string, port: number) =>
            urlOf(engine as ContainerEngine, names.find((name) => name.includes(service)) ?? service, port);
          const collector = await of('collector', 4318);
          const jaeger = await of('jaeger', 16686);
          await eventually('the collector', () => isReady(collector), START_MS_MAX);
          expect(await sendSpan(collector)).toBe(200);
          const hasTrace = async () => (await fetch(`${jaeger}/api/traces/${SPAN.traceId}`)).ok;
          await eventually('the trace in Jaeger', () => hasTrace().catch(() => false), START_MS_MAX);
        } finally {
          await compose([...inProject, 'down', '--volumes'], environment);
          for (const name of [`localhost/${project}_collector`, `${project}-collector`])
            await attempt(['image', 'rm', name]);
        }
      },
      UP_MS_MAX,
    );
  },
);
