import { open, Session, url, waitForDebugger } from 'node:inspector';
import { beginStop, endStop } from '../time/schedule/stopped-time.ts';

/** Where the engine is shown a function; only for that moment. */
const HELD = Symbol.for('reenact.debug.held');

/** A breakpoint as the engine counts, line and column from 0. */
export interface Breakpoint {
  /** `file:` URL of the script. */
  readonly url: string;
  readonly line: number;
  readonly column?: number;
  /** An expression; it stops only where that is true. */
  readonly condition?: string;
}

/**
 * The replay's own connection to the engine of this process: it sets breakpoints, and sees every stop whoever caused it. A
 * stop needs a debugger from outside as well, else the process goes on.
 */
export class DebuggerSession {
  private readonly session = new Session();

  constructor() {
    this.session.connect();
    this.session.on('Debugger.paused', beginStop);
    this.session.on('Debugger.resumed', endStop);
    this.session.post('Debugger.enable');
  }

  /** Stops here from now on, also in a script that is loaded later. */
  setBreakpoint({ url: script, line, column, condition }: Breakpoint): void {
    this.session.post('Debugger.setBreakpointByUrl', {
      url: script,
      lineNumber: line,
      ...(column === undefined ? {} : { columnNumber: column }),
      ...(condition === undefined ? {} : { condition }),
    });
  }

  /** Stops at the first line of a function whenever it is called; of a proxy, of the function behind it. */
  stopIn(fn: object): void {
    Object.defineProperty(globalThis, HELD, { value: fn, configurable: true });
    const expression = `globalThis[Symbol.for(${JSON.stringify(Symbol.keyFor(HELD))})]`;
    this.session.post('Runtime.evaluate', { expression }, (_error, answer) => {
      this.stopInObject(answer?.result.objectId);
    });
    Reflect.deleteProperty(globalThis, HELD);
  }

  private stopInObject(objectId: string | undefined): void {
    if (objectId === undefined) return;
    this.session.post('Runtime.getProperties', { objectId, ownProperties: true }, (_error, answer) => {
      const target = answer?.internalProperties?.find(({ name }) => name === '[[Target]]')?.value?.objectId;
      if (target !== undefined) this.stopInObject(target);
      else this.session.post('Debugger.setBreakpointOnFunctionCall', { objectId });
    });
  }

  /** Lets debuggers of this machine connect, prints where, and waits for one to say that the program may run. */
  waitForDebugger(port: number): void {
    // With --inspect of the user's own, there is one already.
    if (url() === undefined) open(port, '127.0.0.1');
    waitForDebugger();
  }
}
