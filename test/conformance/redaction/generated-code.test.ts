import { context } from '@opentelemetry/api';
import { GrpcInstrumentation } from '@reenact/instrumentation-grpc';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { replay } from '@reenact/replay';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Format, generatedVault, startVaultServer, vaultAgent } from './generated-vault.ts';
import { LeakStage } from './leak-stage.ts';

// The server runs in this process, too, and the tap sends on what it was sent: none of that is the agent's.
const http = new HttpInstrumentation({
  inbound: false,
  ignoreOutbound: ({ url }) => !url.pathname.startsWith('/agent/p'),
});
const grpc = new GrpcInstrumentation({ inbound: false });
let stage: LeakStage;

beforeAll(async () => {
  stage = await LeakStage.start();
  grpc.enable();
  http.enable();
});

afterAll(async () => {
  http.disable();
  grpc.disable();
  await stage.stop();
  context.disable();
});

describe.each<Format>(['import', 'require'])('code of protoc-gen-es that comes by %s', (format) => {
  it('names the fields of its messages over HTTP: what only a name tells to be a secret does not leave, and the run replays', async () => {
    const secret = `hocus pocus ${format}`;
    const token = `mellon mellon ${format}`;
    const vault = await generatedVault(format);
    const server = await startVaultServer(vault, token);
    const run = vaultAgent(vault, server, secret);
    const recording = await stage.record(run);
    const planted = [secret, token].map((text) => ({ kind: 'named', text, secret: text }));
    expect(planted.flatMap((one) => stage.leaksOf(one))).toEqual([]);
    expect(JSON.stringify(recording.crossings.map(({ input }) => input))).toContain('a plain note');
    server.close();
    server.closeAllConnections();
    const report = await replay({ recording, run });
    expect([report.exitCode, report.divergences]).toEqual([0, []]);
  });
});
