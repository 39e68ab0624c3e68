import { createHash } from 'node:crypto';
import { Client, credentials, status } from '@grpc/grpc-js';
import { parseCollectorConfig, type RunningCollector } from '@reenact/collector';
import type { IDescriptorProto, IFileDescriptorProto } from 'protobufjs/ext/descriptor.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { REFLECTION_VERSIONS, ReflectionClient } from './reflection-client.ts';

const SERVICES = [
  'grpc.health.v1.Health',
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
  'opentelemetry.proto.collector.logs.v1.LogsService',
  'opentelemetry.proto.collector.metrics.v1.MetricsService',
  'opentelemetry.proto.collector.trace.v1.TraceService',
  'reenact.replay.v1.ReplayService',
];
const TRACE_SERVICE = 'opentelemetry.proto.collector.trace.v1.TraceService';
const SMALL_CALL_BYTES = 64 * 1024;

const testbed = new Testbed();
const clients: ReflectionClient[] = [];
let collector: RunningCollector;
beforeAll(async () => {
  collector = await testbed.start();
});
afterAll(async () => {
  for (const client of clients) client.close();
  await testbed.dispose();
});

function connect(
  ...[version, token, url = collector.grpcUrl]: [('v1' | 'v1alpha')?, string?, string?]
): ReflectionClient {
  const client = new ReflectionClient(url, version, token);
  clients.push(client);
  return client;
}

/** Names of types that fields and methods refer to. */
function referencesIn({ messageType = [], service = [] }: IFileDescriptorProto): string[] {
  const ofMessage = ({ field = [], nestedType = [] }: IDescriptorProto): string[] => [
    ...field.flatMap(({ typeName }) => (typeName === undefined || typeName === '' ? [] : [typeName])),
    ...nestedType.flatMap(ofMessage),
  ];
  const methods = service.flatMap(({ method = [] }) => method);
  return [
    ...messageType.flatMap(ofMessage),
    ...methods.flatMap(({ inputType = '', outputType = '' }) => [inputType, outputType]),
  ];
}

describe.each(REFLECTION_VERSIONS)('gRPC reflection, %s', (version) => {
  it('lists every service, and describes each so that it can be called', async () => {
    const client = connect(version);
    expect(await client.services()).toEqual(SERVICES);
    for (const name of SERVICES) {
      const service = (await client.typesOf(name)).lookupService(name);
      expect(service.methodsArray.length, name).toBeGreaterThan(0);
      for (const { name: method } of service.methodsArray) {
        const code = await answerTo(client, `/${name}/${method}`);
        expect([name, method, code]).not.toEqual([name, method, status.UNIMPLEMENTED]);
      }
    }
  });
});

/** The status a method answers an empty message with; streams are left when they have said something. */
function answerTo({ client }: ReflectionClient, path: string): Promise<number> {
  const keep = (bytes: Buffer) => bytes;
  const call = client.makeBidiStreamRequest(path, keep, keep);
  call.end(Buffer.alloc(0));
  return new Promise((resolve) => {
    call.on('data', () => call.cancel());
    call.on('error', () => undefined);
    call.on('status', ({ code }) => resolve(code));
  });
}

describe('what gRPC reflection describes', () => {
  it('is enough to send an export, and says all that OTLP has', async () => {
    const client = connect();
    const types = await client.typesOf(TRACE_SERVICE);
    const { requestType, responseType } = types.lookupService(TRACE_SERVICE).methods.Export ?? {};
    const [request, response] = [types.lookupType(requestType ?? ''), types.lookupType(responseType ?? '')];
    const span = {
      traceId: Buffer.from(traceIdOf(40), 'hex'),
      spanId: Buffer.from(spanIdOf(40), 'hex'),
      name: 'by reflection',
      kind: 'SPAN_KIND_CLIENT',
      startTimeUnixNano: 1_763_700_000_000_000_001n.toString(),
      attributes: [{ key: 'a', value: { arrayValue: { values: [{ intValue: '7' }] } } }],
      status: { code: 'STATUS_CODE_ERROR', message: 'no' },
    };
    const body = request.encode(request.fromObject({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })).finish();
    const answer = await new Promise<Buffer | undefined>((resolve, reject) => {
      const keep = (bytes: Buffer) => bytes;
      client.client.makeUnaryRequest(`/${TRACE_SERVICE}/Export`, keep, keep, Buffer.from(body), (error, bytes) =>
        error === null ? resolve(bytes) : reject(error),
      );
    });
    expect(response.decode(answer ?? Buffer.alloc(1)).toJSON()).toEqual({});
    const kept = await (await fetch(`${collector.httpUrl}/api/v1/recordings/${traceIdOf(40)}`)).text();
    for (const part of ['by reflection', '"kind":3', '"code":2', '"intValue":"7"']) expect(kept).toContain(part);
  });

  it('names every type in full, and every file that it is in', async () => {
    const client = connect();
    for (const name of SERVICES) {
      const files = await client.filesOf(name);
      const types = await client.typesOf(name);
      const names = new Set(files.map((file) => file.name));
      for (const file of files) {
        expect((file.dependency as string[]).filter((imported) => !names.has(imported))).toEqual([]);
        for (const reference of referencesIn(file)) {
          expect(reference).toMatch(/^\./);
          expect(types.lookupTypeOrEnum(reference).fullName).toBe(reference);
        }
      }
    }
  });
});

describe('what gRPC reflection is asked for', () => {
  it('is found by the names of messages, methods, fields and values, and by the name of a file', async () => {
    const span = 'opentelemetry.proto.trace.v1.Span';
    const file = 'opentelemetry/proto/trace/v1/trace.proto';
    const symbols = [span, `${span}.Event`, `${span}.trace_id`, `${span}.SpanKind`, `${span}.SPAN_KIND_CLIENT`];
    const asked = symbols.map((fileContainingSymbol) => ({ fileContainingSymbol }));
    const { answers } = await connect().ask(...asked, { fileByFilename: file });
    const [byFile] = answers.slice(-1);
    expect(byFile?.fileDescriptorResponse?.fileDescriptorProto).toHaveLength(3);
    for (const answer of answers) expect(answer.fileDescriptorResponse).toEqual(byFile?.fileDescriptorResponse);
    expect((await connect().filesOf(`${TRACE_SERVICE}.Export`))[0]?.name).toMatch(/trace_service\.proto$/);
  });

  it('says what it does not know, and answers the next question', async () => {
    const { answers, code } = await connect().ask(
      { host: 'a.test', fileContainingSymbol: '__proto__' },
      { fileByFilename: '../../etc/passwd' },
      { fileContainingExtension: { containingType: 'opentelemetry.proto.trace.v1.Span', extensionNumber: 5 } },
      { allExtensionNumbersOfType: 'x.Y' },
      { allExtensionNumbersOfType: 'opentelemetry.proto.trace.v1.Span' },
      {},
      { listServices: '' },
    );
    expect(code).toBe(0);
    expect(answers.map(({ errorResponse }) => errorResponse?.errorCode)).toEqual([5, 5, 5, 5, undefined, 3, undefined]);
    expect(answers[0]).toMatchObject({ validHost: 'a.test', originalRequest: { fileContainingSymbol: '__proto__' } });
    expect(answers[4]?.allExtensionNumbersResponse?.extensionNumber).toEqual([]);
  });
});

describe('who may ask a collector what it offers', () => {
  const token = 'a-token-with-many-characters';
  const tokens = [
    { name: 'app', sha256: createHash('sha256').update(token).digest('hex'), scopes: ['ingest' as const] },
  ];

  it('is everybody with a token, where there are tokens', async () => {
    const { grpcUrl } = await testbed.start({ tokens });
    expect(await connect('v1', undefined, grpcUrl).ask({ listServices: '' })).toMatchObject({
      answers: [],
      code: status.UNAUTHENTICATED,
    });
    expect(await connect('v1alpha', token, grpcUrl).services()).toEqual(SERVICES);
  });

  it('is nobody where it is off, which it is beyond this machine unless it is asked for', async () => {
    const { grpcUrl } = await testbed.start({ reflection: { isOn: false } });
    expect((await connect('v1', undefined, grpcUrl).ask({ listServices: '' })).code).toBe(status.UNIMPLEMENTED);
    const isOn = (config: object) => parseCollectorConfig(config).reflection.isOn;
    expect([{}, { host: '::1' }, { host: '0.0.0.0', tokens }].map(isOn)).toEqual([true, true, false]);
    expect(isOn({ host: '0.0.0.0', tokens, reflection: { isOn: true } })).toBe(true);
  });
});

describe('a caller of small services that sends without end', () => {
  it('is refused by reflection before it takes memory, in one message or many', async () => {
    const long = { fileContainingSymbol: 'x'.repeat(SMALL_CALL_BYTES) };
    expect((await connect().ask(long)).code).toBe(status.RESOURCE_EXHAUSTED);
    const many = Array.from({ length: 100 }, () => ({ fileContainingSymbol: 'x'.repeat(SMALL_CALL_BYTES / 50) }));
    const { code, details } = await connect().ask(...many);
    expect([code, details]).toEqual([status.RESOURCE_EXHAUSTED, expect.stringContaining(String(SMALL_CALL_BYTES))]);
  });

  it('is refused by health, also where it inflates', async () => {
    const client = new Client(new URL(collector.grpcUrl).host, credentials.createInsecure(), {
      'grpc.default_compression_algorithm': 2,
    });
    const keep = (bytes: Buffer) => bytes;
    const code = await new Promise((resolve) => {
      client.makeUnaryRequest(
        '/grpc.health.v1.Health/Check',
        keep,
        keep,
        Buffer.alloc(20 * SMALL_CALL_BYTES),
        (error) => resolve(error?.code),
      );
    });
    client.close();
    expect(code).toBe(status.RESOURCE_EXHAUSTED);
  });
});

describe('a collector that stops', () => {
  it('does not wait for callers that keep their questions open', async () => {
    const asked = await testbed.start({ limits: { stopGraceMs: 600_000 } });
    const call = connect('v1', undefined, asked.grpcUrl).open();
    const over = new Promise<number>((resolve) => {
      call.on('status', ({ code }) => resolve(code));
    });
    const answered = new Promise((resolve) => {
      call.once('data', resolve);
    });
    call.write({ listServices: '' });
    await answered;
    await asked.stop();
    expect(await over).toBe(0);
  });
});
