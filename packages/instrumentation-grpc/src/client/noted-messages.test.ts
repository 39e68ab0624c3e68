import { createRequire } from 'node:module';
import type * as grpc from '@grpc/grpc-js';
import { gate } from '@reenact/instrumentation';
import { RecordedCalls } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { learnGenerated } from '../names/generated-files.ts';
import { learnService } from '../names/learned-methods.ts';
import { generatedService } from '../testdata/generated-vault.ts';
import { patchGrpc } from '../testdata/grpc-suite.ts';
import { startVault, type VaultClient, vaultClient, vaultService } from '../testdata/vault-service.ts';

type Method = grpc.ServiceDefinition[string];
type Intercept = (options: { readonly method_definition: Method }) => unknown;

const interceptors = createRequire(import.meta.url)('@grpc/grpc-js/build/src/client-interceptors.js') as {
  getInterceptingCall(interceptors: Readonly<Record<string, readonly Intercept[]>>, method: Method): unknown;
};

let undo: () => void;
beforeAll(() => {
  undo = patchGrpc();
});
afterAll(() => undo());

/** What an interceptor of a call is told of its method. */
function methodSeen(method: Method): Method | undefined {
  let seen: Method | undefined;
  const see: Intercept = (options) => {
    seen = options.method_definition;
  };
  const none = { clientInterceptors: [], clientInterceptorProviders: [], callInterceptorProviders: [] };
  interceptors.getInterceptingCall({ ...none, callInterceptors: [see] }, method);
  return seen;
}

/** How many messages of the one call there is would be recorded if the process ended while it handles the first. */
function keptWhileHandling(client: VaultClient): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const talk = client.talk();
    talk.on('error', reject);
    talk.on('data', () => {
      resolve(gate.pendingFacts()[0]?.exchanges[0]?.response?.chunks.length);
      talk.end();
    });
    talk.write({ user: 'ali baba' });
  });
}

describe('a message whose definition is known', () => {
  it('is kept before the program has it, which may end the process', async () => {
    const vault = await startVault();
    const calls = new RecordedCalls();
    const detach = calls.attach();
    const client = vaultClient(vault.address);
    expect(await keptWhileHandling(client)).toBe(1);
    detach();
    client.close();
    vault.stop();
  });

  it('is none of those that are noted: an interceptor sees the definition of its client', () => {
    learnService(vaultService);
    const { Open } = vaultService;
    expect(methodSeen(Open as Method)).toBe(Open);
  });
});

it('a method whose definition is not known is the same to interceptors at each call', () => {
  const { Open } = generatedService('plain objects');
  const method = { ...Open, path: '/test.vault.Vault/Unknown' } as Method;
  const [first, second] = [methodSeen(method), methodSeen({ ...method })];
  expect(first?.requestSerialize).not.toBe(method.requestSerialize);
  expect(first).toEqual(second);
});

it('generated code is watched once, by whichever instrumentation comes first', () => {
  const fileDesc = (file: string): string => file;
  const exports = { fileDesc };
  const undoFirst = learnGenerated(exports);
  const watched = exports.fileDesc;
  const undoSecond = learnGenerated(exports);
  expect(watched).not.toBe(fileDesc);
  expect(exports.fileDesc).toBe(watched);
  undoSecond();
  undoFirst();
  expect(exports.fileDesc).toBe(fileDesc);
});
