import { ATTR_RPC_RESPONSE_STATUS_CODE, ATTR_SERVER_PORT } from '@reenact/semconv/core';
import type { Crossing } from '@reenact/trace-model';
import type { InboundEntryOptions } from './http-entry.ts';
import type { ListeningEntry } from './listening-entry.ts';
import { type RecordedRpc, recordedRpcOf } from './recorded-rpc.ts';
import { gaveUp } from './send-recorded-request.ts';
import { type RpcEnd, sendRecordedRpc } from './send-recorded-rpc.ts';

const unimplementedCode = 12;

/** What the report must say of how a recorded call went that was made again. */
export function rpcEndNotes({ statusCode, failure }: RpcEnd, method: string, root: Crossing): string[] {
  const recordedStatus = root.attributes.get(ATTR_RPC_RESPONSE_STATUS_CODE);
  // Whose caller gave up gives up again, and that call has no answer.
  if (failure !== undefined) return gaveUp(root) ? [] : [`The recorded call was not answered: ${failure}.`];
  if (statusCode !== unimplementedCode || recordedStatus === 'UNIMPLEMENTED') return [];
  return [`The server has no method ${method}, or its code says so: it answered UNIMPLEMENTED.`];
}

/** Which metadata a recorded call is made without, in words. `headers`: given in place of it. */
export function withheldMetadataNotes({ withheld }: RecordedRpc, headers: Readonly<Record<string, string>>): string[] {
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  return withheld
    .filter((name) => !given.has(name))
    .map((name) => `The call was made without its recorded ${name}, which was redacted; --header gives it one.`);
}

/** How a run that a gRPC call entered is entered again. Throws ReenactError `cold-case` where not all of the call was kept. */
export function rpcEntry({ recording, root, headers, directory }: InboundEntryOptions): ListeningEntry {
  const call = recordedRpcOf(root);
  const recordedPort = root.attributes.get(ATTR_SERVER_PORT);
  return {
    recording,
    root,
    directory,
    label: `call ${call.method}`,
    server: { protocols: ['grpc', 'grpcs'], port: recordedPort === undefined ? undefined : Number(recordedPort) },
    send: async (listening, signal) => {
      // It is our own child on this machine, and its certificate is for another name.
      const place = { ...listening, verifiesCertificate: false };
      const end = await sendRecordedRpc({ place, call, headers, signal });
      return [...withheldMetadataNotes(call, headers), ...rpcEndNotes(end, call.method, root)];
    },
  };
}
