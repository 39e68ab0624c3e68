import { guarded, reportFailure } from '../host/report-failure.ts';
import type { AnyFunction } from '../patching/patch-set.ts';
import {
  gatedClientFetch,
  gatedCredentials,
  gatedFetchWithTimeout,
  gatedMakeRequest,
  type PatchScope,
  placedRequest,
} from './client-members.ts';
import { registerErrorClasses } from './register-error-classes.ts';
import type { ClientFetch, FetchWithTimeout, MakeRequest, StainlessClient } from './stainless-client.ts';
import type { PatchSettings, StainlessLibrary } from './stainless-library.ts';

const noUndo = (): void => undefined;

/** Collects how to undo each member; switches the patch off first, for functions somebody kept. */
class Patch {
  private isOn = true;
  private readonly undos: (() => void)[] = [];
  readonly scope: PatchScope;

  constructor(library: StainlessLibrary, settings: PatchSettings) {
    this.scope = { ...settings, library, isActive: () => this.isOn };
  }

  add(undo: () => void): void {
    this.undos.push(undo);
  }

  undo(): void {
    this.isOn = false;
    for (const undo of this.undos.splice(0).reverse()) undo();
  }
}

function patchMembers(patch: Patch, target: object): void {
  const { library } = patch.scope;
  patch.add(
    library.patched.patch<MakeRequest>(target, 'makeRequest', (original) => gatedMakeRequest(original, patch.scope)),
  );
  if (typeof Reflect.get(target, 'request') === 'function')
    patch.add(
      library.patched.patch<AnyFunction>(target, 'request', (original) => placedRequest(original, patch.scope)),
    );
  for (const member of library.credentials) {
    if (typeof Reflect.get(target, member.key) !== 'function') continue;
    patch.add(library.patched.patch<AnyFunction>(target, member.key, (original) => gatedCredentials(original, member)));
  }
}

function registerErrorsOf(clientLike: object, { name }: StainlessLibrary): void {
  guarded(`registering error classes of ${name}`, () => registerErrorClasses(clientLike.constructor, name), undefined);
}

/** Whether an object has the members this package patches. */
export function isPatchable(target: unknown): target is object {
  if (typeof target !== 'object' || target === null) return false;
  return ['makeRequest', 'fetchWithTimeout'].every((key) => typeof Reflect.get(target, key) === 'function');
}

/**
 * Puts the gate into a client class, for all its clients and subclasses. Returns how to undo it. A class that is patched
 * already, or is not shaped as expected, is left as it is.
 */
export function patchClientPrototype(
  prototype: unknown,
  library: StainlessLibrary,
  settings: PatchSettings,
): () => void {
  if (!isPatchable(prototype)) {
    const why = 'its client has no makeRequest and fetchWithTimeout; this version is not covered';
    reportFailure(`patching ${library.name}`, why);
    return noUndo;
  }
  if (library.patched.isPatched(Reflect.get(prototype, 'makeRequest'))) return noUndo;
  registerErrorsOf(prototype, library);
  const patch = new Patch(library, settings);
  patchMembers(patch, prototype);
  // On the prototype: a client may compare its own member with the class's and behave differently where they differ.
  patch.add(library.patched.patch<FetchWithTimeout>(prototype, 'fetchWithTimeout', gatedFetchWithTimeout));
  return () => patch.undo();
}

function patchAttempts(patch: Patch, client: StainlessClient, { attemptMember, patched }: StainlessLibrary): void {
  switch (attemptMember) {
    case 'fetch':
      patch.add(
        patched.patch<ClientFetch>(client, 'fetch', (original) =>
          gatedClientFetch(patched.unpatched(original), client),
        ),
      );
      break;
    case 'fetchWithTimeout':
      patch.add(patched.patch<FetchWithTimeout>(client, 'fetchWithTimeout', gatedFetchWithTimeout));
      break;
  }
}

/**
 * Puts the gate into one client and the clients made from it by `withOptions`. Returns how to undo it. A client whose
 * class is patched is left as it is.
 */
export function patchClient(client: StainlessClient, library: StainlessLibrary, settings: PatchSettings): () => void {
  if (library.patched.isPatched(client.makeRequest)) return noUndo;
  registerErrorsOf(client, library);
  const patch = new Patch(library, settings);
  patchMembers(patch, client);
  patchAttempts(patch, client, library);
  const { withOptions } = client;
  if (withOptions !== undefined) {
    patch.add(
      library.patched.patch<NonNullable<StainlessClient['withOptions']>>(client, 'withOptions', (original) => {
        return function clientWithOptions(this: StainlessClient, options: unknown): StainlessClient {
          const made = original.call(this, options);
          patch.add(patchClient(made, library, settings));
          return made;
        };
      }),
    );
  }
  return () => patch.undo();
}
