// The agent service, asked over gRPC; it asks another gRPC service about each order.
import type { ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { advise, type Request } from './advise.ts';
import { JsonClient, methods, serveJson } from './json-rpc.ts';

const risk = new JsonClient(process.env.RISK_ADDRESS ?? '');

async function review({ shares }: { readonly shares: number }): Promise<string> {
  const { verdict } = await risk.ask<{ verdict: string }>(methods.assess, { shares });
  const seen = await risk.all<{ price: number }>(methods.watch, { shares });
  return `${verdict} at ${seen.map(({ price }) => price).join(', ')}`;
}

serveJson(
  { advise: methods.advise },
  {
    advise: (call: ServerUnaryCall<Request, unknown>, callback: sendUnaryData<unknown>) => {
      advise(call.request, review).then(
        (advice) => callback(null, { advice }),
        (error: Error) => callback(error),
      );
    },
  },
);
