import nodeCrypto, { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import vm from 'node:vm';
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { recordedDrawsSchema } from '@reenact/trace-model/reading';
import { afterEach, describe, expect, it } from 'vitest';
import { gate } from '../admission/current-gate.ts';
import { agent, boundary, tool } from '../boundary/boundaries.ts';
import { asOwnWork } from '../host/own-work.ts';
import { drawRecording } from '../run/draw-recording.ts';
import { recordedFacts } from '../testing/recorded-facts.ts';
import { installDrawRecording } from './install-draw-recording.ts';

const recorded = recordedFacts();
let uninstall = (): void => undefined;

afterEach(() => uninstall());

function install(environment: NodeJS.ProcessEnv = {}): void {
  uninstall = installDrawRecording({ environment });
}

function drawsOf(name: string) {
  const facts = recorded.find(({ boundary }) => boundary.name === name);
  return facts?.draws === undefined ? undefined : recordedDrawsSchema.parse(JSON.parse(facts.draws));
}

function lossyOf(name: string): readonly string[] {
  return recorded.find(({ boundary }) => boundary.name === name)?.lossy ?? [];
}

/** Puts functions of its own on `crypto`, as Next.js does, whose calls never come to the class. Returns how to undo it. */
function shadowCrypto(): () => void {
  const names = ['randomUUID', 'getRandomValues'] as const;
  for (const name of names) {
    Object.defineProperty(crypto, name, { value: crypto[name].bind(crypto), configurable: true, writable: true });
  }
  return () => {
    for (const name of names) Reflect.deleteProperty(crypto, name);
  };
}

describe('where a framework has put functions of its own on `crypto` before', () => {
  it('keeps what they give, once', async () => {
    const unshadow = shadowCrypto();
    try {
      install({ REENACT_RECORD_RANDOM_BYTES: '1' });
      const seen = await agent('shadowed', async () => [
        crypto.randomUUID(),
        crypto.getRandomValues(new Uint8Array(2)),
      ])();
      const bytes = Buffer.from(seen[1] as Uint8Array).toString('base64');
      expect(drawsOf('shadowed')).toEqual({ 'crypto.randomUUID': [seen[0]], 'crypto.randomBytes': [bytes] });
    } finally {
      uninstall();
      unshadow();
    }
  });
});

describe('draws inside a run', () => {
  it('are kept with the nearest crossing, and are what the code saw', async () => {
    install();
    const seen = { agent: [] as unknown[], tool: [] as unknown[] };
    const inner = tool('inner', async () => {
      seen.tool.push(Math.random(), randomUUID());
    });
    await agent('outer', async () => {
      seen.agent.push(Math.random(), nodeCrypto.randomInt(1_000), crypto.randomUUID());
      await inner();
      seen.agent.push(Math.random(), Date.now(), Date.parse(new Date().toISOString()));
    })();
    const [first, int, id, second, now, date] = seen.agent;
    expect(drawsOf('outer')).toMatchObject({
      'Math.random': [first, second],
      'crypto.randomInt': [int],
      'crypto.randomUUID': [id],
      'Date.now': [now, 1],
      Date: [date, 1],
    });
    expect(drawsOf('inner')).toMatchObject({ 'Math.random': [seen.tool[0]], 'crypto.randomUUID': [seen.tool[1]] });
  });

  it('of callbacks keep the place in which they were asked for', async () => {
    install({ REENACT_RECORD_RANDOM_BYTES: '1' });
    const asked: string[] = [];
    await agent('asker', async () => {
      const late = new Promise<Buffer>((resolve) => nodeCrypto.randomBytes(8, (_error, bytes) => resolve(bytes)));
      asked[1] = nodeCrypto.randomBytes(4).toString('base64');
      asked[0] = (await late).toString('base64');
      const view = crypto.getRandomValues(new Uint16Array(3));
      asked[2] = Buffer.from(view.buffer).toString('base64');
      asked[3] = nodeCrypto.randomFillSync(Buffer.alloc(5), 1, 2).subarray(1, 3).toString('base64');
    })();
    expect(drawsOf('asker')?.['crypto.randomBytes']).toEqual(asked);
    expect(lossyOf('asker')).toEqual([]);
  });

  it('that are bytes are not kept unless asked for, and the crossing says so', async () => {
    install();
    await agent('secretive', async () => void nodeCrypto.randomBytes(4))();
    expect(drawsOf('secretive')).toEqual({});
    expect(lossyOf('secretive')).toEqual([expect.stringMatching(/^\/draws\/crypto\.randomBytes not recorded/)]);
  });
});

describe('random bytes that packages draw for themselves', () => {
  it('keeps the mark that the package form-data draws for what is between the parts of a form', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reenact-form-'));
    try {
      const file = join(folder, 'form-data', 'lib', 'form_data.js');
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `module.exports = () => require('crypto').randomBytes(12).toString('base64');`);
      const drawMark = createRequire(import.meta.url)(file) as () => string;
      install();
      const mark = await agent('former', async () => drawMark())();
      expect(drawsOf('former')).toEqual({ 'driver.id': [mark] });
      expect(lossyOf('former')).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('that are none are told on the root, so that a replay knows they were kept', async () => {
    install();
    await agent('still', async () => tool('quiet', async () => 1)())();
    expect(drawsOf('still')).toEqual({});
    expect(drawsOf('quiet')).toBeUndefined();
  });

  it.each([
    ['uuid/dist/rng.js', 'randomFillSync(new Uint8Array(256))'],
    ['@langchain/core/dist/utils/uuid/rng.js', 'webcrypto.getRandomValues(new Uint8Array(16))'],
  ])('keeps what UUIDs are made of: %s', async (name, draw) => {
    const folder = await mkdtemp(join(tmpdir(), 'reenact-uuid-'));
    try {
      const file = join(folder, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `module.exports = () => Buffer.from(require('crypto').${draw}).toString('base64');`);
      const drawIds = createRequire(import.meta.url)(file) as () => string;
      install();
      const drawn = await agent('numbered', async () => drawIds())();
      expect(drawsOf('numbered')).toEqual({ 'driver.id': [drawn] });
      expect(lossyOf('numbered')).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it.each([
    ["Datadog's", 'dd-trace/packages/dd-trace/src/id.js', 'randomFillSync(new Uint8Array(65536))'],
    ["Elastic's", 'elastic-apm-node/lib/tracecontext/traceparent.js', 'randomFillSync(Buffer.alloc(34), 1, 24)'],
    [
      "Elastic's of a span",
      'elastic-apm-node/lib/tracecontext/traceparent.js',
      'randomFillSync(Buffer.alloc(34), 17, 8)',
    ],
    ["Elastic's of errors", 'elastic-apm-node/lib/errors.js', 'randomBytes(16)'],
  ])('leaves out what a tracer makes ids of its own of: %s', async (_name, path, draw) => {
    const folder = await mkdtemp(join(tmpdir(), 'reenact-tracer-'));
    try {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `module.exports = () => require('crypto').${draw};`);
      const fillPool = createRequire(import.meta.url)(file) as () => Uint8Array;
      install({ REENACT_RECORD_RANDOM_BYTES: '1' });
      await agent('traced', async () => void fillPool())();
      expect(drawsOf('traced')).toEqual({});
      expect(lossyOf('traced')).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('reads of clocks that only run forward', () => {
  it('are kept to the nanosecond', async () => {
    install();
    const seen = { ms: [] as number[], hrtime: [] as bigint[], uptime: 0 };
    await agent('timer', async () => {
      seen.ms.push(performance.now(), performance.now());
      const [seconds, rest] = process.hrtime();
      const [later = 0, nano = 0] = process.hrtime([seconds, 0]);
      seen.hrtime.push(BigInt(seconds * 1e9) + BigInt(rest), process.hrtime.bigint());
      seen.hrtime.splice(1, 0, BigInt(seconds * 1e9) + BigInt(later * 1e9) + BigInt(nano));
      seen.uptime = process.uptime();
    })();
    const draws = drawsOf('timer');
    const [first = 0, since = 0] = draws?.['performance.now'] ?? [];
    expect([first / 1e6, (first + since) / 1e6]).toEqual(seen.ms);
    const [zero = 0, second = 0, third = 0] = draws?.['process.hrtime'] ?? [];
    const hrtimeNano = BigInt(draws?.ticks?.hrtimeNano ?? 0);
    const nanos = [zero, zero + second, zero + second + third].map((nano) => hrtimeNano + BigInt(nano));
    expect(nanos).toEqual(seen.hrtime);
    expect((draws?.['process.uptime']?.[0] ?? 0) / 1e9).toBe(seen.uptime);
    expect(draws?.ticks?.timeOriginMs).toBe(performance.timeOrigin);
  });

  it("are the host's own where it gives hrtime what it does not expect", async () => {
    install();
    const before = [0.5, 0.25] as [number, number];
    const [seconds] = await agent('odd', async () => process.hrtime(before))();
    const [now] = process.hrtime();
    expect(Math.abs(seconds - now)).toBeLessThan(60);
    expect(() => process.hrtime('x' as never)).toThrow(TypeError);
  });

  it("leave out what a model's client measures of itself", async () => {
    install();
    const call = boundary('model', 'chat', async () => performance.now());
    await agent('asker', async () => [await call(), performance.now()])();
    expect(drawsOf('chat')).toBeUndefined();
    expect(drawsOf('asker')?.['performance.now']).toHaveLength(1);
  });
});

describe('draws that belong to no run', () => {
  it('are not kept: outside, of Reenact, of exporters, and of callbacks that outlive their crossing', async () => {
    install();
    let late = (): void => undefined;
    Math.random();
    await agent('bounded', async () => {
      asOwnWork(() => Math.random());
      context.with(suppressTracing(context.active()), () => Date.now());
      late = context.bind(context.active(), () => void Math.random());
    })();
    late();
    expect(drawsOf('bounded')).toEqual({});
    expect(recorded).toHaveLength(1);
  });

  it('are not those of exporters beside the run of a script, whose draws nothing encloses', () => {
    uninstall = installDrawRecording({ environment: {}, process: true });
    const before = drawRecording.processTape?.text();
    context.with(suppressTracing(ROOT_CONTEXT), () => [Date.now(), Math.random(), randomUUID()]);
    expect(drawRecording.processTape?.text()).toBe(before);
    Math.random();
    expect(drawRecording.processTape?.text()).not.toBe(before);
  });

  it('are not the ids of spans', async () => {
    install();
    const { BasicTracerProvider } = await import('@opentelemetry/sdk-trace-base');
    gate.configure({ tracerProvider: new BasicTracerProvider() });
    await agent('traced', async () => tool('nested', async () => trace.getActiveSpan()?.spanContext().spanId)())();
    gate.configure({ tracerProvider: undefined });
    expect(drawsOf('traced')).toEqual({});
  });
});

describe('what is replaced in the platform', () => {
  const watched = [
    [globalThis, 'Date'],
    [Date, 'now'],
    [Date.prototype, 'constructor'],
    [Object.getPrototypeOf(performance) as object, 'now'],
    [process, 'hrtime'],
    [process.hrtime, 'bigint'],
    [process, 'uptime'],
    [Math, 'random'],
    [nodeCrypto, 'randomUUID'],
    [nodeCrypto, 'randomBytes'],
    [nodeCrypto, 'randomInt'],
    [nodeCrypto, 'randomFill'],
    [nodeCrypto, 'randomFillSync'],
    [Object.getPrototypeOf(crypto) as object, 'randomUUID'],
    [Object.getPrototypeOf(crypto) as object, 'getRandomValues'],
  ] as const;
  const descriptors = () => watched.map(([owner, key]) => Object.getOwnPropertyDescriptor(owner, key));

  it('is put back exactly, after the last of several installations', () => {
    const before = descriptors();
    const first = installDrawRecording({ environment: {} });
    const second = installDrawRecording({ environment: {} });
    const inPlace = descriptors();
    for (const [index, descriptor] of inPlace.entries()) expect(descriptor?.value).not.toBe(before[index]?.value);
    first();
    first();
    expect(descriptors().map((descriptor) => descriptor?.value as unknown)).toEqual(inPlace.map((each) => each?.value));
    second();
    for (const [index, descriptor] of descriptors().entries()) {
      expect(descriptor).toEqual(before[index]);
      expect(descriptor?.value).toBe(before[index]?.value);
    }
  });

  it('is nothing where it is switched off', () => {
    const before = Date;
    installDrawRecording({ environment: { REENACT_RECORD_DRAWS: '0' } })();
    const undo = installDrawRecording({ environment: { REENACT_RECORD_DRAWS: '0' } });
    expect(Date).toBe(before);
    undo();
  });

  it('behaves as the original: classes, errors, callbacks and forms of a date', () => {
    install();
    class Day extends Date {}
    const day = new Day();
    expect([day instanceof Day, day instanceof Date, new Date().constructor === Date, Date.name]).toEqual([
      true,
      true,
      true,
      'Date',
    ]);
    expect(new Date(0).toISOString()).toBe('1970-01-01T00:00:00.000Z');
    expect(Date()).toMatch(/^\w{3} \w{3} \d{2} \d{4} /);
    expect(() => nodeCrypto.randomInt(5, 5)).toThrow(RangeError);
    expect(() => nodeCrypto.randomFillSync(Buffer.alloc(2), 9)).toThrow(RangeError);
    expect(() => Reflect.apply(crypto.getRandomValues, crypto, [new Float64Array(1)])).toThrow(/TypeMismatch|type/i);
  });
});

describe('a context of node:vm', () => {
  const mark = '/draws/node:vm the clock and the random numbers of a context that cannot be watched are not recorded';
  const made = vm.createContext({});
  const code = '[Date.now(), new Date().getTime(), Math.random()]';
  it.each([
    ['runInNewContext', () => vm.runInNewContext(code)],
    ['runInContext', () => vm.runInContext(code, made)],
    ['a script', () => new vm.Script(code).runInContext(made)],
    ['a script in a new context', () => new vm.Script(code).runInNewContext()],
    ['a function', () => vm.compileFunction(`return ${code}`, [], { parsingContext: vm.createContext({}) })()],
  ])('has its clock and random numbers recorded, as code draws in it: %s', async (_how, run) => {
    install();
    const [now, made, random] = (await tool('sandboxed', async () => [...(run() as number[])])()) as number[];
    expect(drawsOf('sandboxed')).toMatchObject({
      'Date.now': [now, 1],
      Date: [made, 1],
      'Math.random': [random],
    });
    expect(lossyOf('sandboxed')).toEqual([]);
  });

  it('is as ever to its code and its host, and leads out of it by nothing', () => {
    install();
    const sandbox = { own: 1 };
    const look = `({ constructed: new Date(5).getTime(), text: typeof Date(), same: new Date().constructor === Date,
      is: new Date() instanceof Date, day: new (class Day extends Date {})() instanceof Date, utc: Date.UTC(1970, 0),
      names: [Date.name, Date.now.name, Math.random.name],
      realms: [Date, Date.now, Math.random].every((value) => value instanceof Function) })`;
    expect({ ...(vm.runInNewContext(look, sandbox) as object) }).toMatchObject({
      constructed: 5,
      text: 'string',
      same: true,
      is: true,
      day: true,
      utc: 0,
      names: expect.objectContaining({ 0: 'Date', 1: 'now', 2: 'random' }),
      realms: true,
    });
    expect([JSON.stringify(sandbox), Object.keys(sandbox)]).toEqual(['{"own":1}', ['own']]);
  });

  it('is left alone where its host put a clock there, and marked where it cannot be watched', async () => {
    install();
    const clock = { now: () => 3 };
    expect(vm.runInNewContext('[Date, Date.now]', { Date: clock })).toEqual([clock, clock.now]);
    expect(vm.runInNewContext('Date', { Date: clock })).toBe(clock);
    const bare = vm.createContext({ Proxy: undefined });
    await tool('bare', async () => vm.runInContext('1', bare))();
    expect(lossyOf('bare')).toEqual([mark]);
  });
});

describe('a mark of a context of node:vm', () => {
  const made = vm.createContext({});

  it('is none where it is the one that Node.js makes for itself', async () => {
    install();
    await tool('streaming', async () => {
      const reader = new ReadableStream().getReader();
      const reading = reader.read().catch((thrown: unknown) => thrown);
      reader.releaseLock();
      return await reading;
    })();
    expect(recorded.some(({ boundary }) => boundary.name === 'streaming')).toBe(true);
    expect(lossyOf('streaming').filter((lossy) => lossy.startsWith('/draws/node:vm'))).toEqual([]);
  });

  it('is none where code runs in the context of the program, outside a run, or no longer watched', async () => {
    const before = Object.getOwnPropertyDescriptor(vm.Script.prototype, 'runInContext');
    install();
    expect(vm.Script.prototype.runInContext.name).toBe('runInContext');
    expect(vm.runInContext('1', made)).toBe(1);
    await tool('plain', async () => vm.runInThisContext('Math.random()'))();
    expect(lossyOf('plain')).toEqual([]);
    uninstall();
    expect(Object.getOwnPropertyDescriptor(vm.Script.prototype, 'runInContext')).toEqual(before);
  });
});
