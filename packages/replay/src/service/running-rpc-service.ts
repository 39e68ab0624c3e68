import { JOIN_PROOF_HEADER, JOIN_QUESTION_HEADER, JOIN_QUESTION_METHOD } from '@reenact/instrumentation';
import { type Crossing, urlPlace } from '@reenact/trace-model';
import { RPC_JOIN_QUESTION_MS_MAX } from '../limits.ts';
import { recordedRpcOf } from '../process/recorded-rpc.ts';
import { rpcEndNotes, withheldMetadataNotes } from '../process/rpc-entry.ts';
import { sendRecordedRpc } from '../process/send-recorded-rpc.ts';
import type { RunningService } from './running-service.ts';

/**
 * A running gRPC service that the recorded call is made to. `url`: `grpc:` or `grpcs:`, with a port; `headers`: metadata in place of
 * the recorded one of the same names. Throws ReenactError `cold-case` where not all of the call was kept.
 */
export function runningRpcService(root: Crossing, url: URL, headers: Readonly<Record<string, string>>): RunningService {
  const call = recordedRpcOf(root);
  const place = {
    protocol: url.protocol === 'grpcs:' ? 'grpcs' : 'grpc',
    address: urlPlace(url).host,
    port: Number(url.port),
    verifiesCertificate: true,
  } as const;
  return {
    address: `${url.protocol}//${url.host}`,
    ask: async (token, failed) => {
      let proof: string | undefined;
      const question = {
        method: JOIN_QUESTION_METHOD,
        messages: [Buffer.alloc(0)],
        metadata: [[JOIN_QUESTION_HEADER, token]],
        withheld: [],
      } as const;
      const signal = AbortSignal.timeout(RPC_JOIN_QUESTION_MS_MAX);
      const { statusCode, failure } = await sendRecordedRpc({
        place,
        call: question,
        headers: {},
        signal,
        onMetadata: (metadata) => {
          const said = metadata[JOIN_PROOF_HEADER];
          if (typeof said === 'string') proof = said;
        },
      });
      if (signal.aborted) failed(`no answer within ${RPC_JOIN_QUESTION_MS_MAX} ms`);
      else if (failure !== undefined) failed(failure);
      return statusCode === 0 ? proof : undefined;
    },
    enter: async (baggageOf, signal) => {
      const sent = { ...headers, baggage: baggageOf(headers.baggage) };
      const end = await sendRecordedRpc({ place, call, headers: sent, signal });
      return [...withheldMetadataNotes(call, headers), ...rpcEndNotes(end, call.method, root)];
    },
  };
}
