import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js';
import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'telling-agent.ts';
const arrived: string[] = [];
let http: Server;
let grpc: GrpcServer;
let httpPlace: string;
let grpcPlace: string;
let stage: Stage;
let spanId: string;
let sentByRecording: readonly string[];

async function listenGrpc(): Promise<number> {
  const bytes = (value: Buffer): Buffer => value;
  const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
  const unary = { path, requestStream: false, responseStream: false } as const;
  const codec = { requestSerialize: bytes, requestDeserialize: bytes };
  const Export = { ...unary, ...codec, responseSerialize: bytes, responseDeserialize: bytes };
  grpc.addService(
    { Export },
    {
      Export: (_call: unknown, answer: (error: null, message: Buffer) => void) => {
        arrived.push('grpc');
        answer(null, Buffer.alloc(0));
      },
    },
  );
  return new Promise((resolve, reject) => {
    grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
}

beforeAll(async () => {
  http = createServer((request, response) => {
    arrived.push(request.url ?? '');
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  grpc = new GrpcServer();
  httpPlace = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  // gRPC looks a name up itself, and connects to what it found.
  grpcPlace = `localhost:${await listenGrpc()}`;
  stage = await setSmallStage({
    HTTP_URL: `http://${httpPlace}`,
    GRPC_URL: `http://${grpcPlace}`,
    // The ten seconds of exporters are over before they have sent anything on a busy machine, and the program then ends by an error.
    OTEL_EXPORTER_OTLP_TIMEOUT: '80000',
  });
  const { run } = await recordRun(stage, script);
  expect(run.replayability).toEqual({ verdict: 'full', missing: [] });
  spanId = run.rootSpanId ?? '';
  sentByRecording = arrived.splice(0).sort();
});

afterAll(async () => {
  await stage.stop();
  grpc.forceShutdown();
  http.closeAllConnections();
  http.close();
});

beforeEach(() => {
  arrived.length = 0;
});

const telemetryNotes = ({ notes }: ReplayReport): string[] =>
  notes.filter((note) => note.startsWith('Telemetry')).sort();

async function replay(flags: readonly string[] = []) {
  const { report, result } = await replayAsJson(stage, spanId, script, { flags });
  // A program whose exporters failed would have ended with another one.
  expect(result.exitCode, result.stderr).toBe(0);
  expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
  const said = (who: string): string | undefined => new RegExp(`"${who}":"([^"]*)"`).exec(result.stderr)?.[1];
  return { notes: telemetryNotes(report), told: said('told'), toldElastic: said('toldElastic') };
}

const held = (place: string, count: string): string =>
  `Telemetry to ${place} was held back: ${count}. To let it out: --allow-host ${place}.`;

describe('telemetry of a program that is replayed', () => {
  it('leaves it in no protocol; exporters end as when all was taken, and the report says where to and how much', async () => {
    expect([...new Set(sentByRecording)]).toEqual([
      '/agent_listener',
      '/intake/v2/events',
      '/json/v1/traces',
      '/protobuf/v1/traces',
      'grpc',
    ]);
    const { notes, told, toldElastic } = await replay();
    expect(arrived).toEqual([]);
    expect(notes).toEqual([held(httpPlace, '4 requests'), held(grpcPlace, '1 request')].sort());
    // What New Relic's agent is answered it goes by, so that none is made up for it.
    expect(told).toContain('was held back');
    expect(toldElastic).toBe('told');
  });

  it('goes out where the host is named', async () => {
    const { notes } = await replay(['--allow-host', httpPlace]);
    expect([...arrived].sort()).toEqual([
      '/agent_listener',
      '/intake/v2/events',
      '/json/v1/traces',
      '/protobuf/v1/traces',
    ]);
    expect(notes).toEqual([held(grpcPlace, '1 request')]);
  });

  it('goes out over gRPC, too, where its host is named as the note names it', async () => {
    expect((await replay(['--allow-host', grpcPlace])).notes).toEqual([held(httpPlace, '4 requests')]);
    expect(arrived).toEqual(['grpc']);
  });

  it('is held back inside a tool that runs live, too', async () => {
    const { notes } = await replay(['--live', 'tool:look']);
    expect(arrived).toEqual([]);
    expect(notes).toHaveLength(2);
  });
});
