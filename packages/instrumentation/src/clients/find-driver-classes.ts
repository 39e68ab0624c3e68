import { type ClassFinder, setClassFinder } from '@reenact/trace-model';
import { mongodbClasses } from './mongodb/mongodb-client.ts';
import { mongooseClasses, mongooseDocument, mongooseMaker } from './mongodb/mongoose-document.ts';
import { mysql2Classes } from './mysql2/mysql2-client.ts';
import { type DriverClasses, registerClassesWith } from './object/driver-classes.ts';
import { pgClasses } from './pg/pg-client.ts';
import { ioredisClasses } from './redis/ioredis-client.ts';
import { redisClasses } from './redis/redis-client.ts';
import { libsqlAddOnClasses, libsqlClasses } from './sqlite/libsql-client.ts';

const named = (...names: string[]): NonNullable<DriverClasses['values']> =>
  Object.fromEntries(names.map((name) => [name, {}]));

const neo4jClasses: DriverClasses = {
  packageName: 'neo4j-driver-core',
  exported: ['Neo4jError'],
  errors: /^Neo4jError$/,
  values: named(
    ...['Record', 'Integer', 'Node', 'Relationship', 'UnboundRelationship', 'Path', 'PathSegment', 'Point'],
    ...['Date', 'DateTime', 'LocalDateTime', 'LocalTime', 'Time', 'Duration'],
  ),
};

const cassandraClasses: DriverClasses = {
  packageName: 'cassandra-driver',
  exported: ['TimeUuid'],
  errors: /Error$/,
  values: named(
    'BigDecimal',
    'Duration',
    'InetAddress',
    'Integer',
    'LocalDate',
    'LocalTime',
    'Row',
    'TimeUuid',
    'Uuid',
  ),
};

/** A number of Prisma's, whose class is exported under another name than its own. */
function aDecimal(prisma: object): unknown {
  const Decimal: unknown = Reflect.get(prisma, 'Decimal');
  return typeof Decimal === 'function' ? Reflect.construct(Decimal, [0]) : undefined;
}

/** Its runtime has stood in a package of its own since version 7, which is known by what it exports. */
const prismaClasses: DriverClasses = {
  packageName: '@prisma/client',
  exported: ['PrismaClientKnownRequestError'],
  errors: /^PrismaClient\w+Error$/,
  values: named('Decimal2'),
  made: (prisma) => [aDecimal(prisma)],
};

/** What a validation finds wrong is listed in its error. */
const sequelizeClasses: DriverClasses = {
  packageName: 'sequelize',
  exported: ['SequelizeScopeError'],
  errors: /Error$/,
  values: named('ValidationErrorItem'),
};

/** What drivers and mappers throw whose values are plain or of classes of the application. `exported` is a name that no other package has. */
const throwing: readonly DriverClasses[] = [
  { packageName: '@elastic/transport', exported: ['ElasticsearchClientError'], errors: /Error$/ },
  {
    packageName: '@mikro-orm/core',
    exported: ['UniqueConstraintViolationException'],
    errors: /(?:Error|Exception)$/,
  },
  { packageName: '@nats-io/nats-core', exported: ['NoRespondersError'], errors: /Error$/ },
  { packageName: '@neondatabase/serverless', exported: ['NeonDbError'], errors: /^(?:DatabaseError|NeonDbError)$/ },
  { packageName: '@opensearch-project/opensearch', exported: ['OpenSearchClientError'], errors: /Error$/ },
  { packageName: '@prisma/driver-adapter-utils', exported: ['DriverAdapterError'], errors: /^DriverAdapterError$/ },
  { packageName: '@pinecone-database/pinecone', exported: ['Pinecone'], errors: /^(?:Base)?Pinecone\w*Error$/ },
  { packageName: 'amqplib', exported: ['IllegalOperationError'], errors: /^IllegalOperationError$/ },
  { packageName: 'chromadb', exported: ['ChromaClient'], errors: /^Chroma\w*Error$/ },
  {
    packageName: 'drizzle-orm',
    exported: ['DrizzleQueryError'],
    errors: /Error$/,
  },
  { packageName: 'kafkajs', exported: ['KafkaJSError'], errors: /^KafkaJS/ },
  { packageName: 'mariadb', exported: ['SqlError'], errors: /^SqlError$/ },
  { packageName: 'mqtt', exported: ['ErrorWithReasonCode'], errors: /^ErrorWith(?:ReasonCode|SubackPacket)$/ },
  {
    packageName: 'mssql',
    exported: ['MSSQLError'],
    errors: /^(?:MSSQL|Connection|PreparedStatement|Request|Transaction)Error$/,
  },
  { packageName: 'nats', exported: ['NatsError'], errors: /^(?:Nats|Service)Error$/ },
  { packageName: 'postgres', exported: ['PostgresError'], errors: /^PostgresError$/ },
  // What stands behind an error of mssql.
  { packageName: 'tedious', exported: ['BulkLoad'], errors: /^(?:Connection|Input|Request)Error$/ },
  { packageName: 'typeorm', exported: ['QueryFailedError'], errors: /Error$/ },
];

/** What stands on a driver and is given its client by nobody, and drivers that have no wrapper. */
const others: readonly DriverClasses[] = [
  libsqlClasses,
  libsqlAddOnClasses,
  mongooseClasses,
  neo4jClasses,
  cassandraClasses,
  prismaClasses,
  sequelizeClasses,
  ...throwing,
];

const drivers = [mongodbClasses, pgClasses, mysql2Classes, redisClasses, ioredisClasses, ...others];

/** Classes that were looked for: who makes an instance has loaded the module of its class, so that it is not found later either. */
const looked = new WeakSet<object>();

/** Names that were looked for in this turn, where no class of theirs was met: an app may have thousands of objects of a class called `Node`. */
let lookedNow: Set<string> | undefined;

function isFirstOfTurn(name: string): boolean {
  if (lookedNow === undefined) {
    lookedNow = new Set();
    queueMicrotask(() => {
      lookedNow = undefined;
    });
  }
  if (lookedNow.has(name)) return false;
  lookedNow.add(name);
  return true;
}

function isFirstLook(met: object | undefined, name: string): boolean {
  if (met === undefined) return isFirstOfTurn(name);
  if (looked.has(met)) return false;
  looked.add(met);
  return true;
}

/** By the classes of drivers that this process has loaded: a tool that asks a database with a client of its own gives what that gave. */
const finder: ClassFinder = {
  findValueClass(name, met) {
    const ofName = drivers.filter(({ values = {} }) => Object.hasOwn(values, name));
    if (ofName.length === 0 || !isFirstLook(met, `value ${name}`)) return;
    for (const classes of ofName) registerClassesWith({ name, met }, classes);
  },
  findErrorClass(name, met, library) {
    const ofName = drivers.filter(({ errors }) => errors?.test(name) === true);
    const wanted = library === undefined ? ofName : ofName.filter((classes) => classes.packageName === library);
    if (wanted.length === 0 || !isFirstLook(met, `error ${library} ${name}`)) return;
    for (const classes of wanted) registerClassesWith({ name, met }, classes);
  },
  modelled: mongooseDocument,
  makerOf: mongooseMaker,
};

/** Has instances of the classes of known drivers recorded as such, whoever gives them. */
export function findDriverClasses(): void {
  setClassFinder(finder);
}
