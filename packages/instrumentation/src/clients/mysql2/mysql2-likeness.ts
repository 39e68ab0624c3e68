import { EventEmitter } from 'node:events';

type Prototype = { readonly prototype?: object } | undefined;

const classNames = ['PoolConnection', 'PromisePoolConnection', 'Connection', 'PromiseConnection'];

/** The class of connections, where the application wrapped the module that has it; else no more than an emitter. */
function prototypeOf(holder: object, isOfPool: boolean): object {
  const names = isOfPool ? classNames : classNames.filter((name) => !name.includes('Pool'));
  const classes = names.map((name) => Reflect.get(holder, name) as Prototype);
  return classes.find((found) => found?.prototype !== undefined)?.prototype ?? EventEmitter.prototype;
}

/**
 * A connection of mysql2 with no socket, which answers those who ask whether it can still be used, as Knex and Sequelize do before each
 * query, and tells its listeners once that it is connected: Sequelize waits for it.
 */
export function unconnectedMysqlConnection(maker: object, holder: object): object {
  const isOfPool = typeof Reflect.get(maker, 'getConnection') === 'function';
  const field = (value: unknown): PropertyDescriptor => ({
    value,
    writable: true,
    configurable: true,
    enumerable: true,
  });
  const connection = Object.create(prototypeOf(holder, isOfPool), {
    stream: field({ destroyed: false }),
    state: field('connected'),
    fatalError: field(null),
    config: field({}),
  }) as EventEmitter;
  if (!isOfPool) process.nextTick(() => connection.emit('connect'));
  return connection;
}
