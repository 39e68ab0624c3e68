import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { type EchoServers, startEchoServers } from './echo-servers.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'named-telemetry-wires.ts';
let servers: EchoServers;
let stage: Stage;
let hosts: readonly string[];

beforeAll(async () => {
  servers = await startEchoServers();
  const { HTTP_URL, HTTP2_URL, GRPC_ADDRESS } = servers.environment;
  hosts = [new URL(HTTP_URL).host, new URL(HTTP2_URL).host, GRPC_ADDRESS];
  stage = await setSmallStage(servers.environment);
});

afterAll(async () => {
  await stage.stop();
  await servers.stop();
});

describe('a host that is named as one of telemetry, asked by undici, HTTP/2 and gRPC', () => {
  it('has no crossings, is told nothing by a replay, and hears of it where it is let out', async () => {
    const { run, recorded } = await recordRun(stage, script, { REENACT_TELEMETRY_HOSTS: hosts.join(',') });
    expect(recorded.stderr).toContain('{"told":["200 true","200 true","200 true","taken","answered"]}');
    // The run and the tool.
    expect(run).toMatchObject({ crossingCount: 2, replayability: { verdict: 'full', missing: [] } });
    const before = { connections: servers.connections, calls: servers.calls };
    const { report, result } = await replayAsJson(stage, run.rootSpanId, script);
    expect({ connections: servers.connections, calls: servers.calls }).toEqual(before);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    expect(result.stderr).toContain('{"told":["200 true","200 true","200 true","taken","14"]}');
    expect(report.notes).toEqual(
      expect.arrayContaining(
        [1, 2, 2].map((count, at) => {
          const what = count === 1 ? '1 request' : `${count} requests`;
          return `Telemetry to ${hosts[at]} was held back: ${what}. To let it out: --allow-host ${hosts[at]}.`;
        }),
      ),
    );
    const flags = hosts.flatMap((host) => ['--allow-host', host]);
    const letOut = await replayAsJson(stage, run.rootSpanId, script, { flags });
    expect(letOut.result.stderr).toContain('{"told":["200 true","200 true","200 true","taken","answered"]}');
    expect(servers.calls).toBe(before.calls + 2);
    expect(servers.connections).toBeGreaterThan(before.connections);
  });

  it('is called off by who calls a request off that is held back, at once or a turn later', async () => {
    const environment = { REENACT_TELEMETRY_HOSTS: hosts.join(',') };
    const { run, recorded } = await recordRun(stage, 'called-off-telemetry.ts', environment);
    const told = '{"told":["AbortError","ECONNRESET","AbortError","8 0","1","1"]}';
    expect(recorded.stderr).toContain(told);
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'called-off-telemetry.ts');
    expect(result.stderr).toContain(told);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
  });
});
