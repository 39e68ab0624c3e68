import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkCollectorConfig, parseCollectorConfig } from '@reenact/collector';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, makeSpan, wrapSpans } from '../../conformance/testbed.ts';
import { peerPath, peerVersion } from '../peers/peer.ts';
import { canMakeRooms, ImageRoom } from './image-room.ts';
import { type ImageCommand, type ReadImage, type ReadProject, readDeploy } from './read-deploy.ts';

const deploy = new URL('../../../collector/deploy/', import.meta.url).pathname;
const dockerfile = join(deploy, 'Dockerfile');
const composeFile = join(deploy, 'compose.yaml');
const hasReader = peerPath('deploy-reader') !== undefined;

/** How long a collector may take until it answers on a busy machine, milliseconds. */
const START_MS_MAX = 60_000;

const token = 'a-token-with-many-characters';
const variables = { REENACT_TOKEN_SHA256: createHash('sha256').update(token).digest('hex') };

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

describe.skipIf(!hasReader || !canMakeRooms())(
  'what the Dockerfile does, on this machine instead of its base image',
  () => {
    let room: ImageRoom;
    let image: ReadImage;
    beforeAll(async () => {
      room = new ImageRoom();
      image = readDeploy('dockerfile', dockerfile) as ReadImage;
      const [run] = codesOf(image.stages[0]?.commands ?? [], 'RUN');
      const script = `cd /reenact && ${wordsIn(run, 'CmdLine').join(' ')}`;
      const built = await room.start(['sh', '-c', script], {}, 'shared').ended;
      expect(built.exitCode, built.printed.slice(-2_000)).toBe(0);
    });
    afterAll(() => room?.remove());

    it('builds a collector that starts as another user, is healthy, keeps what it is sent, and stops when it is told', async () => {
      const commands = image.stages[1]?.commands ?? [];
      const set = codesOf(commands, 'ENV').flatMap(({ Env }) => Env as { Key: string; Value: string }[]);
      const [run, user, stop, health, entry] = ['RUN', 'USER', 'STOPSIGNAL', 'HEALTHCHECK', 'ENTRYPOINT'].map(
        (name) => codesOf(commands, name)[0],
      );
      const name = String(user?.User);
      const asUser = ['setpriv', `--reuid=${name}`, `--regid=${name}`, '--init-groups', ...wordsIn(entry, 'CmdLine')];
      const script = `${wordsIn(run, 'CmdLine').join(' ')} && exec "$@"`;
      const { services } = readDeploy('compose', composeFile, variables) as ReadProject;
      const environment = {
        ...Object.fromEntries(set.map(({ Key, Value }) => [Key, Value])),
        ...services.collector?.environment,
      };
      const collector = room.start(['sh', '-c', script, 'sh', ...asUser], environment, 'own');
      const [kind, ...check] = wordsIn(health?.Health as ImageCommand['code'], 'Test');
      expect(kind).toBe('CMD');
      await eventually(
        'health',
        async () => {
          expect(collector.child.exitCode, collector.printed()).toBeNull();
          return (await room.beside(collector, check)).exitCode === 0;
        },
        START_MS_MAX,
      );
      expect(readFileSync(`/proc/${collector.child.pid}/status`, 'utf8')).toMatch(
        /^Uid:\s+1000\s+1000\s+1000\s+1000$/m,
      );
      const send = `fetch('http://127.0.0.1:4318/v1/traces', { method: 'POST', body: process.env.BODY, headers: {
      'content-type': 'application/json', authorization: 'Bearer ' + process.env.REENACT_TOKEN,
    } }).then((answer) => process.exit(answer.status === 200 ? 0 : 1))`;
      const withToken = { REENACT_TOKEN: token, BODY: JSON.stringify(wrapSpans([makeSpan()])) };
      expect((await room.beside(collector, ['node', '-e', send], withToken)).exitCode).toBe(0);
      const list = [...wordsIn(entry, 'CmdLine').slice(0, 2), 'runs', '--json'];
      const listed = await room.beside(collector, list, withToken);
      expect(JSON.parse(listed.printed)).toMatchObject({ runs: [{ traceId: makeSpan().traceId }] });
      collector.child.kill(String(stop?.Signal) as NodeJS.Signals);
      const { exitCode, printed } = await collector.ended;
      expect([exitCode, printed]).toEqual([0, expect.stringContaining('"event":"stopping"')]);
    });
  },
);
