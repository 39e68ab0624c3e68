import { ReenactError } from '@reenact/trace-model';

/** Where a sentinel is, as a client of ioredis asks for a connection to it. */
interface Endpoint {
  readonly host: unknown;
  readonly port: unknown;
}

type Connect = (...parameters: unknown[]) => unknown;

const DEFAULT_PORT = 26_379;

/** What is used of the part of a client that asks sentinels. */
interface SentinelConnector {
  readonly options: { readonly sentinels: readonly Partial<Endpoint>[] };
  readonly sentinelIterator: { reset(moveCurrentToFirst: boolean): void };
}

function connectorOf(client: object): SentinelConnector | undefined {
  const connector: unknown = Reflect.get(client, 'connector');
  const asksSentinels = typeof connector === 'object' && connector !== null && 'sentinelIterator' in connector;
  return asksSentinels ? (connector as SentinelConnector) : undefined;
}

/** The sentinels of each client that is being stopped: one connection to one of them is not made. */
const held: (readonly Endpoint[])[] = [];
let uninstall: (() => void) | undefined;

function release(sentinels: readonly Endpoint[]): void {
  const index = held.indexOf(sentinels);
  if (index >= 0) held.splice(index, 1);
  if (held.length > 0) return;
  uninstall?.();
  uninstall = undefined;
}

/** Puts what refuses a held connection in front of what makes one; gives what takes it away. */
function holding(holder: object, name: string): () => void {
  const original = Reflect.get(holder, name) as Connect;
  const connect: Connect = (...parameters) => {
    const { host, port } = (parameters[0] ?? {}) as Partial<Endpoint>;
    const found = held.find((sentinels) => sentinels.some((one) => one.host === host && one.port === port));
    if (found === undefined) return Reflect.apply(original, holder, parameters);
    release(found);
    throw new ReenactError('replay-refused', 'A replay asks no sentinel.', {
      where: 'ioredisClient(client)',
      next: 'Nothing: the client is answered from the recording.',
    });
  };
  Reflect.set(holder, name, connect);
  return () => {
    // Others may stand in front of it by now.
    if (Reflect.get(holder, name) === connect) Reflect.set(holder, name, original);
  };
}

function install(): () => void {
  const undo = [
    holding(process.getBuiltinModule('node:net'), 'createConnection'),
    holding(process.getBuiltinModule('node:tls'), 'connect'),
  ];
  return () => {
    for (const one of undo) one();
  };
}

/**
 * Stops a client of ioredis that was just made from asking its first sentinel. Nothing leads to the connection for that, which is opened
 * in the next tick: until then one that leads to a sentinel of the client's fails, as where nothing listens, and the client, which is
 * being stopped, asks no other. It lasts that tick and for that one connection, and what a bundle has of `node:net` is not reached.
 */
export function holdSentinel(client: object): void {
  const connector = connectorOf(client);
  if (connector === undefined) return;
  const { options, sentinelIterator } = connector;
  const sentinels = options.sentinels.map(({ host, port }) => ({ host, port: port || DEFAULT_PORT }));
  // A call that runs live begins with the first one, as the client does.
  sentinelIterator.reset(false);
  held.push(sentinels);
  uninstall ??= install();
  process.nextTick(release, sentinels);
}
