import { admit, membersOf, wrapClient } from '@reenact/instrumentation';
import { ReenactError } from '@reenact/trace-model';
import { isPatchableClient, patchClient } from './client-patch.ts';
import { isPatchableServer, patchServer } from './server-patch.ts';
import { isPatchableTransport, patchTransport } from './transport-patch.ts';
import type { McpInstrumentationConfig } from './types.ts';

function badArgument(where: string, what: string, next: string): ReenactError {
  return new ReenactError('bad-argument', `${where} got something that is no ${what} of the MCP SDK.`, { where, next });
}

/**
 * Records and replays the requests of one client without patching its class, for code that a bundler has put into one file
 * and whose imports nobody can hook. Do it before `connect`, so that a replay needs no server. Returns the same client; doing
 * it twice, or to a client whose class is patched, changes nothing. Throws a ReenactError `bad-argument` for what is no client.
 */
export function instrumentMcpClient<Client extends object>(
  client: Client,
  config: Pick<McpInstrumentationConfig, 'capture'> = {},
): Client {
  if (!isPatchableClient(client)) {
    throw badArgument('instrumentMcpClient(client)', 'client', 'Pass the object that `new Client(…)` returned.');
  }
  return wrapClient(client, () => {
    patchClient(client, { admit, capture: config.capture ?? 'full', sdk: undefined });
    return client;
  });
}

/**
 * Records and replays what another client than the SDK's, such as that of `@ai-sdk/mcp`, sends over one transport, without patching its class: the SDK's
 * `StdioClientTransport`, or `Experimental_StdioMCPTransport`. Do it before the client has it, so that a replay starts no server. Returns the same
 * transport; what a client of the SDK was given is left to that client. Throws a ReenactError `bad-argument` for what is no transport.
 */
export function instrumentMcpTransport<Transport extends object>(
  transport: Transport,
  config: Pick<McpInstrumentationConfig, 'capture'> = {},
): Transport {
  if (!isPatchableTransport(transport)) {
    throw badArgument(
      'instrumentMcpTransport(transport)',
      'transport',
      'Pass the object that a client is to be given.',
    );
  }
  return wrapClient(transport, () => {
    patchTransport(transport, { admit, capture: config.capture ?? 'full', sdk: undefined });
    return transport;
  });
}

/**
 * Lets one server, a `Server` or an `McpServer`, join the traces of its callers without patching its class. Returns the same
 * server. Throws a ReenactError `bad-argument` for what is no server.
 */
export function instrumentMcpServer<Server extends object>(server: Server): Server {
  const inner: unknown = membersOf(server).server ?? server;
  if (!isPatchableServer(inner)) {
    throw badArgument('instrumentMcpServer(server)', 'server', 'Pass a `Server` or an `McpServer`.');
  }
  return wrapClient(server, () => {
    patchServer(inner);
    return server;
  });
}
