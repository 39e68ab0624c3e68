import { guarded, reportFailure } from '@reenact/instrumentation';
import {
  type Admit,
  gatedBearerAuth,
  gatedCallApiKey,
  gatedClientFetch,
  gatedFetchWithTimeout,
  gatedMakeRequest,
  type PatchScope,
} from './client-members.ts';
import type { CallSettings } from './gate-call.ts';
import type {
  BearerAuth,
  CallApiKey,
  ClientFetch,
  FetchWithTimeout,
  MakeRequest,
  OpenAIClient,
} from './internal-types.ts';
import { patchedMembers } from './patched-members.ts';
import { registerErrorClasses } from './register-error-classes.ts';

/** What a patch is made with. */
export interface PatchSettings extends CallSettings {
  readonly admit: Admit;
}

const noUndo = (): void => undefined;

/** Collects how to undo each member; switches the patch off first, for functions somebody kept. */
class Patch {
  private isOn = true;
  private readonly undos: (() => void)[] = [];
  readonly scope: PatchScope;

  constructor(settings: PatchSettings) {
    this.scope = { ...settings, isActive: () => this.isOn };
  }

  add(undo: () => void): void {
    this.undos.push(undo);
  }

  undo(): void {
    this.isOn = false;
    for (const undo of this.undos.splice(0).reverse()) undo();
  }
}

function patchCredentials(patch: Patch, target: object): void {
  if (typeof Reflect.get(target, '_callApiKey') === 'function') {
    patch.add(patchedMembers.patch<CallApiKey>(target, '_callApiKey', gatedCallApiKey));
  }
  if (typeof Reflect.get(target, 'bearerAuth') === 'function') {
    patch.add(patchedMembers.patch<BearerAuth>(target, 'bearerAuth', gatedBearerAuth));
  }
}

function registerErrorsOf(clientLike: object): void {
  guarded('registering error classes of openai', () => registerErrorClasses(clientLike.constructor), undefined);
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
export function patchClientPrototype(prototype: unknown, settings: PatchSettings): () => void {
  if (!isPatchable(prototype)) {
    reportFailure('patching openai', 'its client has no makeRequest and fetchWithTimeout; this version is not covered');
    return noUndo;
  }
  if (patchedMembers.isPatched(Reflect.get(prototype, 'makeRequest'))) return noUndo;
  registerErrorsOf(prototype);
  const patch = new Patch(settings);
  patch.add(
    patchedMembers.patch<MakeRequest>(prototype, 'makeRequest', (original) => gatedMakeRequest(original, patch.scope)),
  );
  // On the prototype: the client compares its own member with the class's and behaves differently where they differ.
  patch.add(patchedMembers.patch<FetchWithTimeout>(prototype, 'fetchWithTimeout', gatedFetchWithTimeout));
  patchCredentials(patch, prototype);
  return () => patch.undo();
}

/**
 * Puts the gate into one client and the clients made from it by `withOptions`. Returns how to undo it. A client whose
 * class is patched is left as it is.
 */
export function patchClient(client: OpenAIClient, settings: PatchSettings): () => void {
  if (patchedMembers.isPatched(client.makeRequest)) return noUndo;
  registerErrorsOf(client);
  const patch = new Patch(settings);
  patch.add(
    patchedMembers.patch<MakeRequest>(client, 'makeRequest', (original) => gatedMakeRequest(original, patch.scope)),
  );
  // The client's own fetch and not fetchWithTimeout, which must stay the class's (see patchClientPrototype).
  patch.add(
    patchedMembers.patch<ClientFetch>(client, 'fetch', (original) =>
      gatedClientFetch(patchedMembers.unpatched(original), client),
    ),
  );
  patchCredentials(patch, client);
  const { withOptions } = client;
  if (withOptions !== undefined) {
    patch.add(
      patchedMembers.patch<NonNullable<OpenAIClient['withOptions']>>(client, 'withOptions', (original) => {
        return function clientWithOptions(this: OpenAIClient, options: unknown): OpenAIClient {
          const made = original.call(this, options);
          patch.add(patchClient(made, settings));
          return made;
        };
      }),
    );
  }
  return () => patch.undo();
}
