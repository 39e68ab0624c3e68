import {
  ATTR_DB_COLLECTION_NAME,
  ATTR_DB_NAMESPACE,
  ATTR_DB_OPERATION_NAME,
  ATTR_DB_SYSTEM_NAME,
} from '@reenact/semconv/core';
import type { Effect } from '@reenact/trace-model';
import { watchObjectIds } from '../../draws/watch-object-ids.ts';
import { definedAttributes } from '../../gate/span-attributes.ts';
import type { ClientCall, ClientCallView, ClientMethod, ReturnedObject } from '../object/client-definition.ts';
import { type ClientOptions, eventMethods } from '../object/client-options.ts';
import type { ConnectionState } from '../object/connection-state.ts';
import { databaseClient } from '../object/database-client.ts';
import type { DriverClasses } from '../object/driver-classes.ts';
import { noteClosing, streamOfCursor } from './mongodb-cursor-stream.ts';
import { giveIds, takeRecordedIds } from './mongodb-new-ids.ts';
import { followSession, keptSessions, ownSessions, sessionMethods } from './mongodb-session.ts';

const reads = [
  'findOne',
  'countDocuments',
  'estimatedDocumentCount',
  'distinct',
  'indexes',
  'indexExists',
  'indexInformation',
  'isCapped',
  'options',
];
const inserts = ['insertOne', 'insertMany', 'bulkWrite'];
const writes = [
  'updateOne',
  'updateMany',
  'replaceOne',
  'deleteOne',
  'deleteMany',
  'findOneAndDelete',
  'findOneAndReplace',
  'findOneAndUpdate',
  'createIndex',
  'createIndexes',
  'dropIndex',
  'dropIndexes',
  'drop',
  'rename',
];
const settings = [
  'sort',
  'limit',
  'skip',
  'project',
  'filter',
  'hint',
  'min',
  'max',
  'comment',
  'collation',
  'allowDiskUse',
  'batchSize',
  'maxTimeMS',
  'maxAwaitTimeMS',
  'returnKey',
  'showRecordId',
  'addQueryModifier',
  'addCursorFlag',
  'withReadPreference',
  'withReadConcern',
  'addStage',
  'group',
  'match',
  'out',
  'lookup',
  'redact',
  'unwind',
  'geoNear',
  'map',
];

const operation = (name: string, effect: ClientMethod['effect']): ClientMethod => ({
  name: `mongodb.${name}`,
  ...(effect === undefined ? {} : { effect }),
});
const operations = (names: readonly string[], effect: Effect): [string, ClientMethod][] =>
  names.map((name) => [name, operation(name, effect)]);

/** A pipeline with `$out` or `$merge` writes; it stands in the arguments or came by `out()`. */
function aggregateEffect({ steps }: ClientCall): Effect {
  return /"\$(?:out|merge)"|"out"/.test(JSON.stringify(steps)) ? 'write' : 'read';
}

/** What a cursor knows by the answers to it, which in a replay it does not get. */
const cursorState: Readonly<Record<string, ClientMethod>> = {
  closed: operation('cursorClosed', 'read'),
  killed: operation('cursorKilled', 'read'),
  id: operation('cursorId', 'read'),
};

function cursor(name: string, effect: ClientMethod['effect']): ReturnedObject {
  const read = operation(name, effect);
  const reading = ['toArray', 'next', 'tryNext', 'hasNext', 'count', 'explain', Symbol.asyncIterator];
  return {
    methods: {
      ...Object.fromEntries(settings.map((setting) => [setting, { as: 'setting', returns: 'this' } as const])),
      ...Object.fromEntries(reading.map((method) => [method, read])),
      close: { ...operation('closeCursor', 'none'), asked: noteClosing },
      bufferedCount: operation('bufferedCount', 'read'),
      readBufferedDocuments: operation('readBufferedDocuments', 'read'),
      // Made of the cursor's other methods.
      forEach: { as: 'composed' },
      stream: { as: 'composed', composing: streamOfCursor },
      clone: { as: 'step', returns: 'alike' },
      ...eventMethods,
    },
    getters: cursorState,
  };
}

const find: ClientMethod = { as: 'step', returns: cursor('find', 'read') };
const aggregate: ClientMethod = { as: 'step', returns: cursor('aggregate', aggregateEffect) };

const collection: ReturnedObject = {
  methods: {
    ...Object.fromEntries([...operations(reads, 'read'), ...operations(writes, 'write')]),
    ...Object.fromEntries(
      inserts.map((name) => [name, { ...operation(name, 'write'), prepare: giveIds, revive: takeRecordedIds }]),
    ),
    find,
    aggregate,
    listIndexes: { as: 'step', returns: cursor('listIndexes', 'read') },
  },
};

const database: ReturnedObject = {
  methods: {
    collection: { as: 'step', returns: collection },
    aggregate,
    listCollections: { as: 'step', returns: cursor('listCollections', 'read') },
    command: operation('command', 'write'),
    stats: operation('stats', 'read'),
    createCollection: { ...operation('createCollection', 'write'), returns: collection },
    dropCollection: operation('dropCollection', 'write'),
    dropDatabase: operation('dropDatabase', 'write'),
    renameCollection: { ...operation('renameCollection', 'write'), returns: collection },
  },
};

const methods: Readonly<Record<string, ClientMethod>> = {
  connect: { ...operation('connect', 'read'), returns: 'this' },
  close: { ...operation('close', 'none'), closes: true },
  bulkWrite: operation('bulkWrite', 'write'),
  db: { as: 'step', returns: database },
  ...sessionMethods,
  ...eventMethods,
};

const bsonClasses = [
  'Binary',
  'BSONRegExp',
  'BSONSymbol',
  'Code',
  'DBRef',
  'Decimal128',
  'Double',
  'Int32',
  'Long',
  'MaxKey',
  'MinKey',
  'ObjectId',
  'Timestamp',
  'UUID',
];

/** Ids are as they were in a replay, wherever they are made. */
function watchIds(driver: object): readonly unknown[] {
  watchObjectIds(Reflect.get(driver, 'ObjectId'));
  return [];
}

/** Where the classes of mongodb are found. */
export const mongodbClasses: DriverClasses = {
  packageName: 'mongodb',
  exported: ['MongoClient'],
  errors: /Error$/,
  // Of 6.0 and before. What a transaction does next is told by the labels of an error.
  errorSymbols: { class: 'MongoError', names: ['errorLabels'] },
  values: {
    ...Object.fromEntries(bsonClasses.map((name) => [name, {}])),
    // Of bson 5 and before.
    ObjectId: { accessors: ['id'] },
    // All that its methods say stands in a field that does not show.
    BulkWriteResult: { hidden: ['result'] },
    // GridFS hands those of its database to every call.
    ReadConcern: {},
    ReadPreference: {},
    // An error that no server answered holds what was known of them.
    ServerDescription: {},
    TopologyDescription: {},
    WriteConcern: {},
    WriteConcernError: {},
    WriteError: {},
  },
  made: watchIds,
};

/** Mongoose takes a client for connected that has a topology, whatever is in it. */
const connection: ConnectionState = {
  members: { topology: (stage, real) => real ?? (stage === 'ready' ? {} : undefined) },
  connect: 'connect',
  closes: ['close'],
};

function argumentOf({ steps }: ClientCall, method: string): string | undefined {
  const value = steps.find(([name]) => name === method)?.[1][0];
  return typeof value === 'string' ? value : undefined;
}

function view(call: ClientCall): ClientCallView {
  const made = call.steps.find(([name]) => name === 'find' || name === 'aggregate')?.[0];
  const name = made ?? call.method;
  const collectionName = argumentOf(call, 'collection');
  return {
    name: collectionName === undefined ? name : `${name} ${collectionName}`,
    slim: definedAttributes({
      [ATTR_DB_SYSTEM_NAME]: 'mongodb',
      [ATTR_DB_NAMESPACE]: argumentOf(call, 'db'),
      [ATTR_DB_COLLECTION_NAME]: collectionName,
      [ATTR_DB_OPERATION_NAME]: name,
    }),
  };
}

/**
 * A `MongoClient` of mongodb, or its class, as crossings `database:mongodb.<operation>`, with the databases, collections,
 * cursors and sessions it gives. Of a transaction the commit and the abort are crossings, each attempt one; the code of
 * `withTransaction` and `withSession` runs again in a replay. Not covered: change streams, `db.admin()`, bulk operations that are built step by step.
 */
export function mongodbClient<Client extends object>(client: Client, options: ClientOptions = {}): Client {
  // Named where the driver is bundled, or where ids are made by another copy of bson.
  for (const named of options.values ?? []) watchObjectIds(named);
  return databaseClient(
    client,
    {
      name: 'mongodb',
      view,
      methods: () => methods,
      isInert: true,
      connection,
      keptArguments: keptSessions,
      ownArguments: ownSessions,
      answered: followSession,
      classes: mongodbClasses,
    },
    options,
  );
}
