import { ATTR_RPC_RESPONSE_STATUS_CODE, ATTR_SERVER_PORT } from '@reenact/semconv/core';
import type { InboundEntryOptions } from './http-entry.ts';
import type { ListeningEntry } from './listening-entry.ts';
import { recordedRpcOf } from './recorded-rpc.ts';
import { type RpcEnd, sendRecordedRpc } from './send-recorded-rpc.ts';

const unimplementedCode = 12;

function endNotes({ statusCode, failure }: RpcEnd, method: string, recordedStatus: unknown): string[] {
  if (failure !== undefined) return [`The recorded call was not answered: ${failure}.`];
  if (statusCode !== unimplementedCode || recordedStatus === 'UNIMPLEMENTED') return [];
  return [`The command's server has no method ${method}, or its code says so: it answered UNIMPLEMENTED.`];
}

/** How a run that a gRPC call entered is entered again. Throws ReenactError `cold-case` where not all of the call was kept. */
export function rpcEntry({ recording, root, headers, directory }: InboundEntryOptions): ListeningEntry {
  const call = recordedRpcOf(root);
  const recordedPort = root.attributes.get(ATTR_SERVER_PORT);
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const withheld = call.withheld
    .filter((name) => !given.has(name))
    .map((name) => `The call was made without its recorded ${name}, which was redacted; --header gives it one.`);
  return {
    recording,
    root,
    directory,
    label: `call ${call.method}`,
    protocols: ['grpc', 'grpcs'],
    preferredPort: recordedPort === undefined ? undefined : Number(recordedPort),
    send: async (place, signal) => {
      const end = await sendRecordedRpc({ place, call, headers, signal });
      return [...withheld, ...endNotes(end, call.method, root.attributes.get(ATTR_RPC_RESPONSE_STATUS_CODE))];
    },
  };
}
