import http from 'node:http';
import https from 'node:https';
import { guarded } from '@reenact/instrumentation';

const modules: Readonly<Record<string, object>> = { http, https };

/**
 * Copies that a loader hook has made of the platform's modules. A named import of an application gets its functions from the
 * copy, which takes no notice when a function of the module itself is replaced.
 */
export class HookedModules {
  private readonly copies = new Map<object, object>();

  /** Keeps the copy of `http` or `https`, and gives it the functions of now. */
  add(name: string, copy: unknown): void {
    const module = modules[name];
    if (module === undefined || typeof copy !== 'object' || copy === null || copy === module) return;
    this.copies.set(copy, module);
    this.publish();
  }

  /** Gives every copy the functions of now, after they were replaced or put back. */
  publish(): void {
    for (const [copy, module] of this.copies) {
      for (const key of ['request', 'get']) {
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
