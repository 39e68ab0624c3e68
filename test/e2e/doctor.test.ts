import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandResult } from '../scenarios/run-command.ts';
import type { Stage } from '../scenarios/stage.ts';
import { setSmallStage } from './small-stage.ts';

interface Diagnosis {
  readonly traps: readonly { readonly kind: string; readonly detail: string }[];
  readonly recorded?: Readonly<Record<string, number>>;
  readonly hookLoaded?: boolean;
  readonly hasOwnSetUp?: boolean;
}

const commandFile = fileURLToPath(new URL('../../packages/reenact/bin/reenact.mjs', import.meta.url));

let stage: Stage;
beforeAll(async () => {
  stage = await setSmallStage({ MODEL_URL: 'http://127.0.0.1:1' });
});
afterAll(() => stage.stop());

async function examine(
  command: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ diagnosis: Diagnosis; result: CommandResult }> {
  const result = await stage.reenact(['doctor', '--json', ...command], environment);
  return { diagnosis: JSON.parse(result.stdout) as Diagnosis, result };
}

const kindsOf = ({ traps }: Diagnosis): string[] => traps.map(({ kind }) => kind);

it('the doctor asks a service that is stopped what it saw', async () => {
  // What it could not deliver before it was stopped waits in a folder of its own: every other case would be told of it.
  const spool = { REENACT_SPOOL_DIR: join(stage.folder, 'spool-of-service') };
  const service = await stage.start([commandFile, 'doctor', '--', 'node', 'trapped.ts', 'serve'], spool);
  expect(service.firstLine).toBe('serving');
  const { stdout } = await service.stop();
  expect(stdout).toMatch(/unwrapped-driver/);
});

it('names a spool that cannot be written, which nobody would miss before a process is killed', async () => {
  const blocked = join(stage.folder, 'no-folder');
  writeFileSync(blocked, '');
  const { diagnosis, result } = await examine(['--', 'node', 'parallel.ts'], { REENACT_SPOOL_DIR: blocked });
  expect(result.exitCode).toBe(1);
  expect(diagnosis.traps).toMatchObject([{ kind: 'no-spool', detail: expect.stringContaining(blocked) }]);
  const idle = await examine(['--', 'node', '-e', '0'], { REENACT_SPOOL_DIR: blocked });
  expect(kindsOf(idle.diagnosis)).toContain('no-spool');
  const { stderr } = await stage.node(['--import', 'reenact/register', '-e', '0'], { REENACT_SPOOL_DIR: blocked });
  expect(stderr).toBe('');
  const off = await examine(['--', 'node', 'parallel.ts'], { REENACT_SPOOL_DIR: blocked, REENACT_SPOOL: 'off' });
  expect(kindsOf(off.diagnosis)).toEqual([]);
});

describe('reenact doctor', () => {
  it('finds nothing wrong where nothing is, and says what was recorded', async () => {
    const { diagnosis, result } = await examine(['--', 'node', 'parallel.ts']);
    expect(result.exitCode).toBe(0);
    expect(diagnosis).toMatchObject({
      traps: [],
      hookLoaded: true,
      recorded: { 'tool:fetch_part': expect.any(Number) },
    });
    expect(result.stderr).not.toMatch(/Warning/);
  });

  it('names what an app steps into, with problems first', async () => {
    const { diagnosis, result } = await examine(['--', 'node', 'trapped.ts'], { OTEL_ATTRIBUTE_COUNT_LIMIT: '9' });
    expect(result.exitCode).toBe(1);
    expect(kindsOf(diagnosis)).toEqual(['unseen-model-call', 'limits-set', 'unwrapped-driver']);
  });

  it('explains each for people, without colour in a pipe', async () => {
    const { stdout, exitCode } = await stage.reenact(['doctor', '--', 'node', 'trapped.ts']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^✗ A model was called .*unseen-model-call$\n {4}found {2}http:\/\/127\.0\.0\.1:1\/v1/m);
    expect(stdout).toMatch(/fix {4}Wrap it where it is made: pgClient/);
    expect(stdout).toMatch(/1× {2}tool:count/);
    expect(stdout).not.toContain('\u001B');
  });

  it('looks at the environment without a command, and at the address of the collector', async () => {
    const nowhere = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', REENACT_DISABLED: '1' };
    const away = await examine([], nowhere);
    expect(kindsOf(away.diagnosis)).toEqual(['collector-away', 'recording-off']);
    const told = await stage.reenact(['doctor'], nowhere);
    expect(told.stdout.replaceAll(/\s+/g, ' ')).toContain('they wait on the disk');
    expect(away.diagnosis.recorded).toBeUndefined();
    const fine = await stage.reenact(['doctor']);
    expect(fine).toMatchObject({ exitCode: 0, stdout: '✓ No problem found.\n', stderr: '' });
  });

  it('says that the hook did not get into a command', async () => {
    const { diagnosis, result } = await examine(['--', 'sh', '-c', 'true']);
    expect(result.exitCode).toBe(1);
    expect(diagnosis.hookLoaded).toBe(false);
  });

  it('hears of a second version of the OpenTelemetry API through a real import', async () => {
    const api = fileURLToPath(new URL('../../node_modules/@opentelemetry/api', import.meta.url));
    const copy = join(stage.folder, 'node_modules/@opentelemetry/api');
    mkdirSync(copy, { recursive: true });
    cpSync(api, copy, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as object;
    writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...manifest, version: '1.99.0' }));
    for (const [file, code] of [
      ['two.mjs', "import '@opentelemetry/api';"],
      ['two.cjs', "require('@opentelemetry/api');"],
    ] as const) {
      writeFileSync(join(stage.folder, file), code);
      const { diagnosis } = await examine(['--', 'node', join(stage.folder, file)]);
      expect(kindsOf(diagnosis)).toEqual(['api-versions']);
      expect(diagnosis.traps[0]?.detail).toContain('1.99.0');
    }
  });
});

describe('a setting that is wrong', () => {
  it('says of an address what is wrong with it, in words', async () => {
    const { port } = new URL(stage.collectorUrl);
    const cases = [
      [`127.0.0.1:${port}`, 'write it with its scheme, as http://127.0.0.1:4318'],
      [`localhost:${port}`, 'write it with its scheme, as http://127.0.0.1:4318'],
      [`https://127.0.0.1:${port}`, 'does not speak TLS. Write the address with http://'],
      [stage.grpcUrl, 'What somebody sends to the port of OTLP/gRPC is no HTTP/2. Send OTLP/HTTP to httpPort'],
    ];
    for (const [address, reason] of cases) {
      const { diagnosis, result } = await examine([], { OTEL_EXPORTER_OTLP_ENDPOINT: address });
      expect([result.exitCode, kindsOf(diagnosis)]).toEqual([1, ['collector-away']]);
      expect(diagnosis.traps[0]?.detail).toContain(reason);
    }
  });

  it('names a variable that nobody reads, and which was meant', async () => {
    const { diagnosis, result } = await examine([], { REENACT_REDACT_PATH: 'customer.name' });
    expect(result.exitCode).toBe(1);
    expect(diagnosis.traps).toEqual([
      { kind: 'unknown-variable', detail: 'REENACT_REDACT_PATH, for REENACT_REDACT_PATHS' },
    ]);
  });
});

describe('what answers where spans are sent, and takes none', () => {
  it.each([
    ['a web page', 200, '<!doctype html>', 'it answers with a web page'],
    ['another token than is sent', 401, '', 'Unauthorized, status 401'],
  ])('is told apart from a collector: %s', async (_, status, body, reason) => {
    const server = createServer((request, response) =>
      request.resume().on('end', () => response.writeHead(status).end(body)),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const { diagnosis } = await examine([], { OTEL_EXPORTER_OTLP_ENDPOINT: address });
      expect(kindsOf(diagnosis)).toEqual(['collector-away']);
      expect(JSON.stringify(diagnosis)).toContain(`${address} takes nothing: ${reason}`);
    } finally {
      server.close();
    }
  });
});

describe('an app that sets up recording itself', () => {
  it('is told that the hook of the doctor covered more, and what is missing without it', async () => {
    const hooked = await examine(['--', 'node', 'early-library.ts']);
    expect(hooked.diagnosis).toMatchObject({ traps: [], hasOwnSetUp: true, recorded: { 'model:openai.chat': 1 } });
    const { stdout } = await stage.reenact(['doctor', '--', 'node', 'early-library.ts']);
    expect(stdout).toMatch(/reenact doctor --as-is -- <command>/);
    // Nothing answers there, and `fetch` asks all the same.
    const MODEL_URL = 'http://127.0.0.1:65530';
    const asIs = await examine(['--as-is', '--', 'node', 'early-library.ts'], { MODEL_URL });
    expect(asIs.result.exitCode).toBe(1);
    expect(asIs.diagnosis).toMatchObject({ hookLoaded: true, hasOwnSetUp: false, recorded: { 'agent:early': 1 } });
    expect(asIs.diagnosis.traps).toEqual([{ kind: 'unrecorded-model-call', detail: MODEL_URL }]);
  });

  it('is looked at as it is, too, where it brings the hook itself', async () => {
    const { diagnosis } = await examine(['--as-is', '--', 'node', '--import', 'reenact/register', 'parallel.ts']);
    expect(diagnosis).toMatchObject({
      traps: [],
      hasOwnSetUp: false,
      recorded: { 'tool:fetch_part': expect.any(Number) },
    });
  });
});

describe('an app that was started without the hook', () => {
  it('is a problem of its own when it is looked at as it is', async () => {
    const { diagnosis, result } = await examine(['--as-is', '--', 'node', 'parallel.ts']);
    expect(diagnosis).toMatchObject({ traps: [], hookLoaded: true, hasRecorder: false, recorded: {} });
    expect(result.exitCode).toBe(1);
  });
});

describe('a trap in production', () => {
  it('is a warning of the process, once, and changes nothing', async () => {
    const { exitCode, stderr } = await stage.node(['--import', 'reenact/register', 'trapped.ts']);
    expect(exitCode).toBe(0);
    expect(stderr.match(/ReenactWarning/g)).toHaveLength(1);
    expect(stderr).toMatch(/REENACT_UNSEEN_MODEL_CALL.*reenact doctor/);
  });

  it('is not told where recording is switched off by the switch of OpenTelemetry', async () => {
    const off = await stage.node(['--import', 'reenact/register', 'trapped.ts'], { OTEL_SDK_DISABLED: 'true' });
    expect(off).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });
});

describe('a call beside a run', () => {
  it('is named, for it may be the run that lost its context', async () => {
    const spool = { REENACT_SPOOL_DIR: join(stage.folder, 'spool-of-queue') };
    const { diagnosis, result } = await examine(['--', 'node', 'queued.ts'], spool);
    // A process that exits at once has three seconds to hand over what it recorded: on a busy machine that waits on the disk, and is told, too.
    const ofTheCode = diagnosis.traps.filter(({ kind }) => kind !== 'spool-waits');
    expect(ofTheCode).toMatchObject([{ kind: 'lost-context', detail: 'tool:look' }]);
    expect(result.exitCode).toBe(0);
  });
});

describe('a process whose contexts were taken away', () => {
  it('is a problem, which says who provides none', async () => {
    const { diagnosis, result } = await examine(['--', 'node', 'emptied-api.ts']);
    expect(diagnosis.traps).toContainEqual({ kind: 'no-contexts', detail: 'nobody provides them' });
    expect(result.exitCode).toBe(1);
  });
});

describe('a program that is compiled by a hook of require', () => {
  it.each(['', '--as-is'])('is started as it starts by itself: doctor %s', async (flag) => {
    const compiler = join(stage.folder, 'compiler.cjs');
    const app = join(stage.folder, 'app.script');
    writeFileSync(
      compiler,
      "require.extensions['.script'] = (module, path) => module._compile('console.error(6 * 7)', path);",
    );
    writeFileSync(app, 'no JavaScript');
    const command = ['node', '-r', compiler, '-r', 'reenact/register', app];
    const { diagnosis, result } = await examine([...(flag === '' ? [] : [flag]), '--', ...command]);
    expect([result.stderr.includes('42'), diagnosis.hookLoaded]).toEqual([true, true]);
  });
});

describe('a library that a --require loads', () => {
  it('is told of with the line that mends it, for Node.js requires before it imports', async () => {
    const preload = join(stage.folder, 'preload.cjs');
    writeFileSync(preload, `require(${JSON.stringify(createRequire(import.meta.url).resolve('openai'))});`);
    const withHook = (hook: readonly string[]) => [
      '--as-is',
      '--',
      'node',
      ...hook,
      '--require',
      preload,
      'parallel.ts',
    ];
    const { stdout } = await stage.reenact(['doctor', ...withHook(['--import', 'reenact/register'])]);
    expect(stdout).toMatch(/library-preloaded\n {4}found {2}openai\n(.*\n)* {4}fix .*`-r reenact\/register`/);
    const required = await examine(withHook(['-r', 'reenact/register']));
    expect(kindsOf(required.diagnosis)).toEqual([]);
    const NODE_OPTIONS = `-r reenact/register -r ${preload}`;
    const inVariable = await examine(['--as-is', '--', 'node', 'parallel.ts'], { NODE_OPTIONS });
    expect(kindsOf(inVariable.diagnosis)).toEqual([]);
  });
});
