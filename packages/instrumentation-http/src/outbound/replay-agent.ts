import type { ClientRequest, Agent as HttpAgent } from 'node:http';
import type { Duplex } from 'node:stream';
import { platformHttp } from '../platform-http.ts';
import type { ReplaySocket } from './replay-socket.ts';

const { Agent } = platformHttp;

/** As it was when this module was loaded: a replay's guard refuses what asks an agent for a connection later. */
const addRequest = Reflect.get(Agent.prototype, 'addRequest') as (request: ClientRequest, options: object) => void;

/** Gives one request of a replay its socket. Headers that depend on the agent come out as with the agent it stands in for. */
export class ReplayAgent extends Agent {
  readonly protocol: string;
  readonly defaultPort: number;
  private readonly socket: ReplaySocket;

  constructor(socket: ReplaySocket, scheme: 'http:' | 'https:', replaced: HttpAgent | undefined) {
    const timeout = timeoutOf(replaced);
    super({
      keepAlive: replaced !== undefined && Reflect.get(replaced, 'keepAlive') === true,
      ...(timeout === undefined ? {} : { timeout }),
    });
    // As a real connection is made with its agent's time limit.
    if (timeout !== undefined) socket.setTimeout(timeout);
    this.socket = socket;
    this.protocol = (replaced === undefined ? undefined : readString(replaced, 'protocol')) ?? scheme;
    this.defaultPort = this.protocol === 'https:' ? 443 : 80;
  }

  addRequest(request: ClientRequest, options: object): void {
    addRequest.call(this, request, options);
  }

  override createConnection(): Duplex {
    return this.socket;
  }

  override keepSocketAlive(): boolean {
    return false;
  }
}

function timeoutOf(agent: HttpAgent | undefined): number | undefined {
  const options: unknown = agent === undefined ? undefined : Reflect.get(agent, 'options');
  const timeout: unknown =
    typeof options === 'object' && options !== null ? Reflect.get(options, 'timeout') : undefined;
  return typeof timeout === 'number' ? timeout : undefined;
}

function readString(target: object, key: string): string | undefined {
  const value: unknown = Reflect.get(target, key);
  return typeof value === 'string' ? value : undefined;
}
