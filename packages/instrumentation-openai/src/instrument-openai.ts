import {
  admit,
  isPatchable,
  membersOf,
  patchClient,
  type StainlessClient,
  sdkOfClient,
} from '@reenact/instrumentation';
import { ReenactError } from '@reenact/trace-model';
import { openaiLibrary } from './openai-library.ts';
import type { OpenAIInstrumentationConfig } from './types.ts';

/**
 * Records and replays the calls of one client without patching its class, for code that a bundler has put into one file
 * and whose imports nobody can hook. Clients made from it by `withOptions` are covered too. Returns the same client.
 * Doing it twice, or to a client whose class is patched, changes nothing.
 *
 * Throws a ReenactError `bad-argument` where the value is no openai client, and `unsupported` for a client with an X.509
 * workload identity, which sends its requests past its own `fetch`.
 */
export function instrumentOpenAI<Client extends object>(
  client: Client,
  config: Pick<OpenAIInstrumentationConfig, 'capture'> = {},
): Client {
  if (!isPatchable(client) || typeof Reflect.get(client, 'fetch') !== 'function') {
    throw new ReenactError('bad-argument', 'instrumentOpenAI got something that is no client of the openai package.', {
      where: 'instrumentOpenAI(client)',
      next: 'Pass the object that `new OpenAI(…)` or `new AzureOpenAI(…)` returned.',
    });
  }
  const { x509Transport } = membersOf(Reflect.get(client, '_options'));
  if (x509Transport !== undefined && x509Transport !== null) {
    throw new ReenactError(
      'unsupported',
      'A client with an X.509 workload identity cannot be instrumented one by one.',
      {
        where: 'instrumentOpenAI(client)',
        next: 'Use OpenAIInstrumentation, which patches the class.',
      },
    );
  }
  const sdk = sdkOfClient(openaiLibrary, client);
  patchClient(client as unknown as StainlessClient, openaiLibrary, { admit, capture: config.capture ?? 'full', sdk });
  return client;
}
