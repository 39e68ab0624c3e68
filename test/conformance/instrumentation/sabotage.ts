import { getCallSites } from 'node:util';

type AnyFunction = (...parameters: never[]) => unknown;

/** What code of ours calls of the platform and could fail: it reads and converts what the host or the wire gave. */
const methods: readonly (readonly [holder: object, names: readonly string[]])[] = [
  [JSON, ['parse', 'stringify']],
  [
    Object,
    [
      'entries',
      'keys',
      'fromEntries',
      'getOwnPropertyDescriptor',
      'getOwnPropertyDescriptors',
      'getPrototypeOf',
      'create',
    ],
  ],
  // Not `get`: where we stand in for an object of the host, it is the host's own read.
  [Reflect, ['ownKeys', 'getPrototypeOf', 'defineProperty']],
  [Array, ['from', 'isArray']],
  [Array.prototype, ['map', 'flatMap', 'filter', 'find', 'some']],
  [Buffer, ['from', 'concat', 'byteLength']],
  [TextDecoder.prototype, ['decode']],
  [Headers.prototype, ['get', 'forEach', 'entries']],
  [String.prototype, ['split', 'replace', 'toLowerCase', 'match']],
  [RegExp.prototype, ['exec', 'test']],
  [URL, ['canParse']],
];

const ours = /\/packages\/(?:instrumentation|trace-model|semconv)[^/]*\/(?!src\/testing\/)/;

/** Makes calls of the platform fail, one place of our code at a time. */
export class Sabotage {
  /** Places of our code that have called something since `reset`, as `<function> <file>:<line>:<column>`. */
  readonly places = new Set<string>();
  /** The place whose calls fail; undefined: none. */
  target: string | undefined;
  private isLooking = false;
  private readonly undos: (() => void)[] = [];

  constructor() {
    for (const [holder, names] of methods) for (const name of names) this.replace(holder, name);
  }

  private replace(holder: object, name: string): void {
    const descriptor = Object.getOwnPropertyDescriptor(holder, name);
    const original = descriptor?.value as AnyFunction;
    const meet = (): void => this.meet(name);
    const replacement = function (this: unknown, ...parameters: never[]): unknown {
      meet();
      return Reflect.apply(original, this, parameters);
    };
    Object.defineProperty(holder, name, { ...descriptor, value: replacement });
    this.undos.push(() => Object.defineProperty(holder, name, descriptor as PropertyDescriptor));
  }

  private meet(name: string): void {
    if (this.isLooking) return;
    // Who called is looked up for each of thousands of calls, and costs more than all that the host does.
    if (this.target !== undefined && !this.target.startsWith(`${name} `)) return;
    this.isLooking = true;
    let place: string;
    try {
      const [, , , caller] = getCallSites(4);
      if (caller === undefined || !ours.test(caller.scriptName)) return;
      place = `${name} ${caller.scriptName}:${caller.lineNumber}:${caller.columnNumber}`;
      this.places.add(place);
    } finally {
      this.isLooking = false;
    }
    if (place === this.target) throw new RangeError(`sabotaged: ${place}`);
  }

  /** Puts everything back. */
  stop(): void {
    for (const undo of this.undos.splice(0)) undo();
  }
}
