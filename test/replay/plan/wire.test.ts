import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRun, replayAsJson } from '../../e2e/small-stage.ts';
import { type Stage, setStage } from '../../scenarios/stage.ts';

const agentFolder = new URL('agent', import.meta.url).pathname;

let stage: Stage;
let server: Server;
let rootSpanId: string;
let port: number;
let requestCount = 0;

beforeAll(async () => {
  server = createServer((_, response) => {
    requestCount += 1;
    const body = gzipSync(JSON.stringify({ price: 190, symbol: 'ACME' }));
    const headers = {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'content-length': body.byteLength,
    };
    response.writeHead(200, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  stage = await setStage({ agentFolder, environment: () => ({ PRICES_URL: `http://127.0.0.1:${port}` }) });
  ({ rootSpanId } = (await recordRun(stage, 'caller.ts')).run);
});

afterAll(async () => {
  await stage.stop();
  await new Promise((resolve) => server.close(resolve));
});

/** What the agent saw in a replay, and the report; no request reaches the server. */
async function replayed(
  ...flags: string[]
): Promise<{ seen: string[]; report: Awaited<ReturnType<typeof replayAsJson>>['report'] }> {
  const before = requestCount;
  const { report, result } = await replayAsJson(stage, rootSpanId, 'caller.ts', { flags });
  expect(requestCount).toBe(before);
  const line = result.stderr.split('\n').find((text) => text.startsWith('['));
  return { seen: JSON.parse(line ?? '[]') as string[], report };
}

describe('a recorded HTTP request', () => {
  const crossing = (): string => `http:GET 127.0.0.1:${port}`;

  it('is answered with an edited body at both layers, the recorded compression gone with it', async () => {
    const { seen, report } = await replayed('--edit', `${crossing()}:$.price=5`);
    expect(seen).toEqual(['200 {"price":5,"symbol":"ACME"}', '200 {"price":5,"symbol":"ACME"}']);
    expect(report.edits).toMatchObject([
      { id: 'e1', policy: 'edit' },
      { id: 'e2', policy: 'edit' },
    ]);
    expect(report.divergences).toMatchObject([
      { kind: 'input-changed', path: 'agent:caller/tool:note' },
      { kind: 'outcome-changed', path: 'agent:caller' },
    ]);
    expect(report.divergences.every(({ causedBy }) => causedBy?.divergence.startsWith('e') === true)).toBe(true);
  });

  it('is answered with a status', async () => {
    const { seen, report } = await replayed('--fail', `${crossing()}:status=429`);
    expect(seen).toEqual(['429 {"error":"Too Many Requests"}', '429 {"error":"Too Many Requests"}']);
    expect(report.edits.map(({ policy }) => policy)).toEqual(['fail', 'fail']);
  });

  it('fails as its own client fails: a connection reset, a connection that timed out', async () => {
    expect((await replayed('--fail', `${crossing()}:error`)).seen).toEqual([
      'fetch failed: ECONNRESET',
      'failed: ECONNRESET',
    ]);
    expect((await replayed('--fail', `${crossing()}:timeout`)).seen).toEqual([
      'fetch failed: ETIMEDOUT',
      'failed: ETIMEDOUT',
    ]);
  });
});

describe('a plan file on the command line', () => {
  it('is read, and flags add to it', async () => {
    const plan = new URL('../../../packages/replay/src/testdata/plan-files/good/only-the-version.json', import.meta.url)
      .pathname;
    const { seen, report } = await replayed(
      '--plan',
      plan,
      '--edit',
      'tool:note:$="other"',
      '--profile',
      'edit-tolerant',
    );
    expect(seen[0]).toContain('190');
    expect(report).toMatchObject({
      profile: 'edit-tolerant',
      verdict: 'reproduced',
      edits: [{ path: 'agent:caller/tool:note' }],
    });
  });

  it.each([
    ['unknown-key.json', /Unrecognized key: "rule".*unknown-key\.json/],
    ['unknown-policy.json', /\$\.rules\[0\]\.policy/],
    ['no-such-file.json', /cannot be read.*no-such-file\.json/],
  ])('%s is refused before anything runs', async (name, message) => {
    const plan = new URL(`../../../packages/replay/src/testdata/plan-files/bad/${name}`, import.meta.url).pathname;
    const result = await stage.reenact(['replay', rootSpanId, '--plan', plan, '--', 'node', 'caller.ts']);
    expect({ exitCode: result.exitCode, stdout: result.stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(result.stderr).toMatch(message);
  });
});
