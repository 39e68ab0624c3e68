import { type BoundaryKind, ReenactError } from '@reenact/trace-model';
import { boundaryClient } from '../clients/object/boundary-client.ts';
import { type BoundaryOptions, defineBoundary } from './boundary-options.ts';
import { type AnyFunction, wrapBoundary } from './boundary-wrapper.ts';

/** Makes methods boundaries: `@tool('get_quote') async getQuote(symbol) { … }` (TC39 decorators). */
export type BoundaryDecorator<Arguments extends readonly unknown[]> = <
  This,
  Method extends (this: This, ...parameters: Arguments) => unknown,
>(
  method: Method,
  context: ClassMethodDecoratorContext<This, Method>,
) => Method;

/** Makes a function, or with `@` a method, a boundary of one kind. */
export interface BoundaryMaker {
  /** Returns a function of the same type that crosses the boundary `name` when it is called. */
  <Fn extends AnyFunction>(name: string, fn: Fn, options?: BoundaryOptions<Parameters<Fn>>): Fn;
  /** Returns a decorator for methods. */
  <Arguments extends readonly unknown[] = never[]>(
    name: string,
    options?: BoundaryOptions<Arguments>,
  ): BoundaryDecorator<Arguments>;
}

function badUse(kind: BoundaryKind, name: string, message: string, next: string): ReenactError {
  return new ReenactError('bad-argument', message, { where: `${kind}:${name}`, next });
}

function decorator(kind: BoundaryKind, name: string, options: BoundaryOptions<never[]>): AnyFunction {
  return (method: AnyFunction, context: unknown): AnyFunction => {
    const isMethod =
      typeof context === 'object' && context !== null && (context as { kind?: unknown }).kind === 'method';
    if (typeof method !== 'function' || !isMethod) {
      throw badUse(
        kind,
        name,
        'A boundary decorator was put on something that is not a method, or compiled by the legacy decorator transform.',
        'Put it on a method and compile without "experimentalDecorators", or wrap the function instead.',
      );
    }
    return wrapBoundary(method, defineBoundary(kind, name, options), options);
  };
}

/** Options are an object of their own: a function that is not there, because its name is misspelt, is no decorator either. */
function areOptions(second: unknown, third: unknown): boolean {
  if (second === undefined) return third === undefined;
  return Object.prototype.toString.call(second) === '[object Object]';
}

function make(kind: BoundaryKind, name: string, second: unknown, third: unknown): AnyFunction {
  if (typeof name !== 'string' || name === '') {
    throw badUse(kind, String(name), 'A boundary needs a name.', 'Give a non-empty text as the first argument.');
  }
  if (typeof second !== 'function') {
    if (!areOptions(second, third)) {
      throw badUse(
        kind,
        name,
        `${second === null ? 'null' : typeof second} is neither a function nor options.`,
        'Give the function that does the work as the second argument; for a decorator give options or nothing.',
      );
    }
    return decorator(kind, name, (second ?? {}) as BoundaryOptions<never[]>);
  }
  const options = (third ?? {}) as BoundaryOptions<never[]>;
  return wrapBoundary(second as AnyFunction, defineBoundary(kind, name, options), options);
}

function makerOf(kind: BoundaryKind): BoundaryMaker {
  return ((name: string, second?: unknown, third?: unknown) => make(kind, name, second, third)) as BoundaryMaker;
}

/** Makes a function or method a tool: what a model may call. Counts as `write` unless `effect` says otherwise. */
export const tool: BoundaryMaker = makerOf('tool');

/** Makes a function or method a retrieval: a search for documents. Counts as `read`. */
export const retrieval: BoundaryMaker = makerOf('retrieval');

/** Makes a function or method a guardrail: a check that may stop the agent. Counts as `read`. */
export const guardrail: BoundaryMaker = makerOf('guardrail');

/** Makes a function or method an agent: the root of a run, or a sub-agent. Its code runs again in a replay. */
export const agent: BoundaryMaker = makerOf('agent');

/** Makes functions, methods and clients boundaries of any kind. */
export interface BoundaryFunction {
  /** Makes a function a boundary of any kind. */
  <Fn extends AnyFunction>(kind: BoundaryKind, name: string, fn: Fn, options?: BoundaryOptions<Parameters<Fn>>): Fn;
  /** Makes a decorator for methods that are boundaries of any kind. */
  <Arguments extends readonly unknown[] = never[]>(
    kind: BoundaryKind,
    name: string,
    options?: BoundaryOptions<Arguments>,
  ): BoundaryDecorator<Arguments>;
  /** Makes methods of a client crossings (clients/object/boundary-client.ts). */
  readonly client: typeof boundaryClient;
}

function boundaryOf(kind: BoundaryKind, name: string, second?: unknown, third?: unknown): AnyFunction {
  return make(kind, name, second, third);
}

/** Makes a function, a method or a client's methods boundaries of any kind. */
export const boundary: BoundaryFunction = Object.assign(boundaryOf as BoundaryFunction, { client: boundaryClient });
