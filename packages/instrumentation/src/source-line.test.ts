import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callerLine, userFrame } from './index.ts';
import { captureCall } from './source-line.ts';

const own = new URL('./admission/current-gate.ts', import.meta.url).href;
const sibling = new URL('../../instrumentation-openai/dist/patch.js', import.meta.url).pathname;

describe('the user’s line', () => {
  it('is the first frame that is not ours, not a dependency and not the platform', () => {
    const stack = [
      'Error: where am I called from',
      '    at callerLine (node:internal/whatever:1:1)',
      `    at admit (${own}:20:10)`,
      `    at Object.apply (${sibling}:3:4)`,
      '    at Completions.create (file:///app/node_modules/openai/client.mjs:200:12)',
      '    at new Promise (<anonymous>)',
      '    at async Trader.decide [as run] (file:///app/src/agent%20one.ts:17:5)',
      '    at main (/app/src/main.ts:3:1)',
    ].join('\n');
    expect(userFrame(stack)).toEqual({ file: '/app/src/agent one.ts', line: 17, column: 5 });
  });

  it('is read from frames without a function name, and on Windows', () => {
    expect(userFrame('Error\n    at /app/main.js:3:1')).toEqual({ file: '/app/main.js', line: 3, column: 1 });
    expect(userFrame('Error\n    at run (C:\\app\\main.js:3:1)')).toEqual({
      file: 'C:\\app\\main.js',
      line: 3,
      column: 1,
    });
  });

  it('is unknown where no frame of the user is left', () => {
    expect(userFrame(`Error\n    at admit (${own}:20:10)\n    at native`)).toBeUndefined();
    expect(userFrame('')).toBeUndefined();
  });

  it('is the line of this call', () => {
    const line = callerLine();
    expect(line?.file).toBe(import.meta.filename);
    expect(Error.stackTraceLimit).toBeLessThan(60);
  });
});

describe('the line of a call that was captured', () => {
  it('is the nearest of the user below the function that was called, whoever is in between', () => {
    const gate = (): ReturnType<typeof callerLine> => callerLine(gate, captureCall(gate));
    const direct = gate();
    const [through] = [0].map(() => gate());
    expect([direct?.file, through?.file]).toEqual([import.meta.filename, import.meta.filename]);
    expect(Number(through?.line) - Number(direct?.line)).toBe(1);
    // A function of the platform called it: the user's line is further down.
    const beyond = Reflect.apply(Array.prototype.map, [0], [gate]) as ReturnType<typeof callerLine>[];
    expect(Number(beyond[0]?.line) - Number(direct?.line)).toBe(5);
  });

  it('is the same whether the call was captured or the whole stack is looked at', () => {
    const gate = () => [callerLine(gate, captureCall(gate)), callerLine(gate)] as const;
    // Function text without a file, a method of the platform, and the same place called in several ways.
    const evaluated = new Function('gate', 'return gate()') as (inner: typeof gate) => ReturnType<typeof gate>;
    const ways: (() => ReturnType<typeof gate>)[] = [
      gate,
      () => gate(),
      () => evaluated(gate),
      () => [0].map(gate)[0] ?? gate(),
      () => Reflect.apply(gate, undefined, []),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...ways), (way) => {
        const [captured, whole] = way();
        expect(captured).toEqual(whole);
        expect(captured?.file).toBe(import.meta.filename);
      }),
    );
  });
});

describe('the line in a host that handles stacks its own way', () => {
  it('is mapped by whoever formats stacks at the time', () => {
    const gate = () => callerLine(gate, captureCall(gate))?.file;
    const call = () => gate();
    const before = Error.prepareStackTrace;
    try {
      expect(call()).toBe(import.meta.filename);
      Error.prepareStackTrace = () => 'Error\n    at run (/app/mapped.ts:3:1)';
      expect(call()).toBe('/app/mapped.ts');
    } finally {
      Error.prepareStackTrace = before;
    }
    expect(call()).toBe(import.meta.filename);
  });

  it('is not asked for where the host took the means away', () => {
    const before = Object.getOwnPropertyDescriptor(Error, 'captureStackTrace') ?? {};
    const call = () => captureCall(call);
    const lineOf = () => callerLine(lineOf, captureCall(lineOf));
    const ask = () => lineOf();
    try {
      Object.defineProperty(Error, 'captureStackTrace', { ...before, value: undefined });
      expect(call()).toBeUndefined();
    } finally {
      Object.defineProperty(Error, 'captureStackTrace', before);
    }
    expect(ask()?.file).toBe(import.meta.filename);
  });

  it('is unknown where the host formats stacks its own way', () => {
    const before = Error.prepareStackTrace;
    try {
      Error.prepareStackTrace = () => ['not', 'text'];
      expect(callerLine()).toBeUndefined();
      Error.prepareStackTrace = () => {
        throw new TypeError('formatter broke');
      };
      expect(callerLine()).toBeUndefined();
    } finally {
      Error.prepareStackTrace = before;
    }
  });
});
