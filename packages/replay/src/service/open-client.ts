import type { ReplayServiceClient } from '@reenact/collector-client/replay-service';
import { outsideReplays } from './outside-replays.ts';
import type { ReplayServiceSettings } from './shared-settings.ts';

/**
 * A client of the replay service. Its library is loaded only now: most processes that load this package never need it. Rejects
 * with ReenactError `bad-argument`.
 */
export function openReplayServiceClient({ address, token }: ReplayServiceSettings): Promise<ReplayServiceClient> {
  return outsideReplays(async () => {
    const { ReplayServiceClient: Client } = await import('@reenact/collector-client/replay-service');
    return new Client(address, token);
  });
}
