import http2 from 'node:http2';
import https from 'node:https';
import { guarded } from '@reenact/instrumentation';
import { platformHttp } from './platform-http.ts';

/** A module of the platform and which functions of it are replaced. */
interface PatchedModule {
  readonly module: object;
  readonly keys: readonly string[];
}

const modules: Readonly<Record<string, PatchedModule>> = {
  http: { module: platformHttp, keys: ['request', 'get'] },
  https: { module: https, keys: ['request', 'get'] },
  http2: { module: http2, keys: ['connect', 'createServer', 'createSecureServer'] },
};

/**
 * Copies that a loader hook has made of the platform's modules. A named import of an application gets its functions from the
 * copy, which takes no notice when a function of the module itself is replaced.
 */
export class HookedModules {
  private readonly copies = new Map<object, PatchedModule>();

  /** Keeps the copy of `http`, `https` or `http2`, and gives it the functions of now. */
  add(name: string, copy: unknown): void {
    const patched = modules[name];
    if (patched === undefined || typeof copy !== 'object' || copy === null || copy === patched.module) return;
    this.copies.set(copy, patched);
    this.publish();
  }

  /** Gives every copy the functions of now, after they were replaced or put back. */
  publish(): void {
    for (const [copy, { module, keys }] of this.copies) {
      for (const key of keys) {
        const value: unknown = Reflect.get(module, key);
        guarded(
          'showing a patch to named imports',
          () => Reflect.get(copy, key) === value || Reflect.set(copy, key, value),
          true,
        );
      }
    }
  }
}
