import { admit, isPatchable, patchClient, type StainlessClient, sdkOfClient } from '@reenact/instrumentation';
import { ReenactError } from '@reenact/trace-model';
import { anthropicLibrary } from './anthropic-library.ts';
import type { AnthropicInstrumentationConfig } from './types.ts';

/**
 * Records and replays the calls of one client without patching its class, for code that a bundler has put into one file
 * and whose imports nobody can hook. Clients made from it by `withOptions` are covered too. Returns the same client.
 * Doing it twice, or to a client whose class is patched, changes nothing.
 *
 * Throws a ReenactError `bad-argument` where the value is no client of the Anthropic SDK.
 */
export function instrumentAnthropic<Client extends object>(
  client: Client,
  config: Pick<AnthropicInstrumentationConfig, 'capture'> = {},
): Client {
  if (!isPatchable(client)) {
    throw new ReenactError(
      'bad-argument',
      'instrumentAnthropic got something that is no client of @anthropic-ai/sdk.',
      {
        where: 'instrumentAnthropic(client)',
        next: 'Pass the object that `new Anthropic(…)` returned.',
      },
    );
  }
  const settings = { admit, capture: config.capture ?? 'full', sdk: sdkOfClient(anthropicLibrary, client) };
  patchClient(client as unknown as StainlessClient, anthropicLibrary, settings);
  return client;
}
