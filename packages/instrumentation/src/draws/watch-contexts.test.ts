import vm from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { PatchSet } from '../patching/patch-set.ts';
import { type ContextClock, watchContexts } from './watch-contexts.ts';

const undos: (() => void)[] = [];

afterEach(() => {
  for (const undo of undos.splice(0)) undo();
});

/** Puts a clock in place that gives what there is; gives how often it was told that nothing could stand there, and how to undo it. */
function watch(clock: Partial<ContextClock> = {}): { lost: () => number; undo: () => void } {
  const patches = new PatchSet();
  let lost = 0;
  const told: ContextClock = {
    time: (_name, proceed) => proceed(),
    random: (proceed) => proceed(),
    unwatched: () => {
      lost += 1;
    },
    ...clock,
  };
  const undo = watchContexts(patches, told);
  undos.push(() => {
    undo();
    patches.restore();
  });
  return { lost: () => lost, undo };
}

/** Draws with less and less room on the stack, in many steps; says of which realm everything is that was thrown or given. */
const exhausting = `(draw) => {
  const met = new Set();
  const note = (value) => met.add(value);
  const attempt = () => { try { note(draw()); } catch (thrown) { note(thrown); } };
  const deep = (...room) => { attempt(); try { deep(...room); } catch (thrown) { note(thrown); } attempt(); };
  for (let step = 0; step < 60; step += 1) deep(...Array(step).fill(0));
  return [...met].filter((value) => typeof value !== 'number' && typeof value !== 'string')
    .map((value) => value instanceof Object ? 'own' : value.constructor.constructor('return typeof process')());
}`;

const draws = ['Date.now()', 'Math.random()', 'new Date().getTime()', 'Date()'];
const contexts: [string, () => vm.Context][] = [
  ['an empty object', () => vm.createContext({})],
  ['an object without a prototype', () => vm.createContext(Object.create(null) as object)],
  ['none of its host', () => vm.createContext(vm.constants.DONT_CONTEXTIFY as never)],
];

describe('a sandbox of node:vm', () => {
  it.each(contexts)('cannot be left by what is thrown where its stack is full: %s', (_name, make) => {
    watch();
    for (const draw of draws) {
      const realms = vm.runInContext(`(${exhausting})(() => ${draw})`, make()) as string[];
      expect([draw, ...new Set(realms)]).toEqual([draw, 'own']);
    }
  });

  it('gives its own clock then, and that is told with the next reading', () => {
    let isFull = true;
    const { lost } = watch({
      time: () => {
        if (isFull) throw new RangeError('Maximum call stack size exceeded');
        return 7;
      },
    });
    const context = vm.createContext({});
    expect(vm.runInContext('Date.now()', context)).toBeGreaterThan(7);
    isFull = false;
    expect([vm.runInContext('[Date.now(), Date.now()].join()', context), lost()]).toEqual(['7,7', 1]);
  });

  it('cannot be left by what its code put in the place of its clock before it was watched', () => {
    const context = vm.createContext({});
    vm.runInContext(
      `globalThis.met = [];
      const leave = (target, self, given) => {
        met.push(given instanceof Array);
        return 1;
      };
      Date.now = new Proxy(Date.now, { apply: leave });
      Math.random = () => ({ valueOf: new Proxy(() => 1, { apply: leave }), toJSON: new Proxy(() => 1, { apply: leave }) });`,
      context,
    );
    watch({ time: (_name, proceed) => proceed() + 1, random: (proceed) => proceed() + 1 });
    expect(vm.runInContext('[Date.now(), typeof Math.random()].join()', context)).toBe('2,object');
    expect(new Set(vm.runInContext('met', context) as boolean[])).toEqual(new Set([true]));
  });

  it('is given nothing but numbers', () => {
    watch({ time: () => ({}) as never, random: () => [] as never });
    const code = '[Date.now(), Math.random(), new Date().getTime()].every((value) => typeof value === "number")';
    expect(vm.runInNewContext(code)).toBe(true);
  });

  it('sees nothing of our source', () => {
    watch();
    const code = '[Date, Date.now, Math.random].map(String).filter((text) => !text.includes("[native code]")).join()';
    expect(vm.runInNewContext(code)).toBe('');
  });

  it("hands what its host gives to its Date to no function of its code's", () => {
    watch();
    const context = vm.createContext({});
    const made = vm.runInContext('Reflect.construct = () => { throw 1; }; Date', context) as DateConstructor;
    expect(new made(5).getTime()).toBe(5);
  });
});

describe('the clock of contexts', () => {
  it("is taken away once, and nobody else's with it", () => {
    watch({ time: () => 5 });
    const { undo } = watch({ time: () => 6 });
    expect(vm.runInNewContext('Date.now()')).toBe(6);
    undo();
    undo();
    expect(vm.runInNewContext('Date.now()')).toBe(5);
  });
});
