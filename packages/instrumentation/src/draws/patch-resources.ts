import { guarded } from '../host/report-failure.ts';
import type { AnyFunction, PatchSet } from '../patching/patch-set.ts';

/** Asked each time a resource is about to be entered: gives what enters it. `below` gives what would without it. */
export type ResourceEntry = (below: () => AnyFunction) => AnyFunction;

/** Told of the resources (`AsyncResource`) that code makes to be called back in, as a pool does for each of its tasks. */
export interface ResourceListener {
  /** The code here makes one of this type. Gives what decides how it is entered; undefined: it is left alone. */
  made(type: string): ResourceEntry | undefined;
}

const ENTERING = 'runInAsyncScope';

function watchEntries(resource: object, entry: ResourceEntry): void {
  const before = Object.getOwnPropertyDescriptor(resource, ENTERING)?.get;
  const below = (): AnyFunction =>
    before === undefined
      ? (Reflect.get(Object.getPrototypeOf(resource), ENTERING) as AnyFunction)
      : (Reflect.apply(before, resource, []) as AnyFunction);
  Object.defineProperty(resource, ENTERING, {
    configurable: true,
    enumerable: false,
    // A function of ours around the callback would be a line of every stack that is made there.
    get: () => entry(below),
    set: (value) => Object.defineProperty(resource, ENTERING, { value, writable: true, enumerable: true }),
  });
}

/** Has `listener` told of the resources that code makes, and decide how they are entered. */
export function patchResources(patches: PatchSet, listener: ResourceListener): void {
  type ResourceClass = new (...parameters: unknown[]) => object;
  const owner = process.getBuiltinModule('node:async_hooks');
  const construct = (target: ResourceClass, parameters: unknown[], made: NewableFunction): object => {
    const resource = Reflect.construct(target, parameters, made) as object;
    const note = (): void => {
      const [type] = parameters;
      const entry = typeof type === 'string' ? listener.made(type) : undefined;
      if (entry !== undefined) watchEntries(resource, entry);
    };
    guarded('noting a resource', note, undefined);
    return resource;
  };
  patches.replace<ResourceClass>(owner, 'AsyncResource', (original) => new Proxy(original, { construct }));
  patches.replace(owner.AsyncResource.prototype, 'constructor', () => owner.AsyncResource);
}
