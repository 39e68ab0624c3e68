import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkCollectorConfig, parseCollectorConfig } from '@reenact/collector';
import { describe, expect, it } from 'vitest';
import { peerPath, peerVersion } from '../peers/peer.ts';
import { type ImageCommand, type ReadImage, type ReadProject, readDeploy } from './read-deploy.ts';

const deploy = new URL('../../../collector/deploy/', import.meta.url).pathname;
const dockerfile = join(deploy, 'Dockerfile');
const composeFile = join(deploy, 'compose.yaml');
const hasReader = peerPath('deploy-reader') !== undefined;

const variables = { REENACT_TOKEN_SHA256: 'a'.repeat(64) };

function codesOf(commands: readonly ImageCommand[], name: string): ImageCommand['code'][] {
  return commands.filter((command) => command.name === name).map(({ code }) => code);
}

function wordsIn(code: ImageCommand['code'] | undefined, member: string): string[] {
  return (code?.[member] ?? []) as string[];
}

describe.skipIf(!hasReader)(`the Dockerfile, read by BuildKit (${peerVersion('deploy-reader')})`, () => {
  it('has no fault that its parser or its linter knows', () => {
    const { warnings, stages } = readDeploy('dockerfile', dockerfile) as ReadImage;
    expect(warnings).toEqual([]);
    expect(stages).toHaveLength(2);
  });

  it('is refused where it has one: the reader looks', () => {
    expect(() => readDeploy('dockerfile', composeFile)).toThrow(/unknown instruction/);
  });
});

describe.skipIf(!hasReader)('the compose file, read by Compose', () => {
  it('asks for a token, and says how to make one', () => {
    expect(() => readDeploy('compose', composeFile)).toThrow(/REENACT_TOKEN_SHA256.*reenact config token/);
  });

  it('builds our image, gives it settings it takes, keeps its data, and opens its ports to this machine alone', () => {
    const { services } = readDeploy('compose', composeFile, variables) as ReadProject;
    const { collector, jaeger } = services;
    expect(existsSync(join(collector?.build?.context ?? '', collector?.build?.dockerfile ?? 'none'))).toBe(true);
    const { REENACT_COLLECTOR_TOKENS: tokens = '', REENACT_COLLECTOR_FORWARD: forward = '' } =
      collector?.environment ?? {};
    const config = parseCollectorConfig({ host: '0.0.0.0', tokens: JSON.parse(tokens), forward: JSON.parse(forward) });
    expect(checkCollectorConfig(config).tokens).toBe(1);
    expect(collector?.ports?.map(({ target }) => target)).toEqual([config.grpcPort, config.httpPort]);
    const ports = [...(collector?.ports ?? []), ...(jaeger?.ports ?? [])];
    expect(new Set(ports.map(({ host_ip: host }) => host))).toEqual(new Set(['127.0.0.1']));
    const { stages } = readDeploy('dockerfile', dockerfile) as ReadImage;
    const [volume] = codesOf(stages[1]?.commands ?? [], 'VOLUME');
    expect(collector?.volumes?.map(({ target }) => target)).toEqual(wordsIn(volume, 'Volumes'));
    expect(Number(collector?.stop_grace_period?.replace(/s$/, '')) * 1000).toBeGreaterThan(config.limits.stopGraceMs);
  });
});
