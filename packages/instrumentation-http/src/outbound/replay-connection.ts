import type { Agent, ClientRequest } from 'node:http';
import { ReplayAgent } from './replay-agent.ts';
import { ReplaySocket } from './replay-socket.ts';
import { givenAgent, type ParsedParameters, withOptions } from './request-parameters.ts';

/** `http` or `https`. */
export interface RequestModule {
  readonly scheme: 'http:' | 'https:';
  globalAgent(): Agent;
}

/** Makes a request by the function of the platform, from its parameters. */
export type Make = (parameters: readonly unknown[]) => ClientRequest;

/** A request whose connection is ours, so that nothing of it leaves the process. */
export interface ReplayConnection {
  readonly request: ClientRequest;
  readonly socket: ReplaySocket;
}

/** Makes a request that stands on a connection of ours. */
export function connectToReplay(make: Make, parsed: ParsedParameters, module: RequestModule): ReplayConnection {
  const agent = givenAgent(parsed, module.globalAgent());
  const isEncrypted = module.scheme === 'https:';
  const socket = new ReplaySocket({ encrypted: isEncrypted, port: isEncrypted ? 443 : 80 });
  const replayAgent = new ReplayAgent(socket, module.scheme, agent);
  return { request: make(withOptions(parsed, { agent: replayAgent })), socket };
}
