import { isDeepStrictEqual } from 'node:util';
import { type Document, Long } from 'mongodb';
import { MongoTransactions, NO_SUCH_TRANSACTION } from './mongodb-transactions.ts';

/** A comment of `find` that has the first attempt turned away with an error which drivers answer by asking again. */
export const TURNED_AWAY = 'turned away once';
/** A comment of `find` after whose first batch the server has forgotten the cursor. */
export const FORGOTTEN = 'forgotten';

const DUPLICATE_KEY = 11_000;

const failed = (code: number, codeName: string, errmsg: string): Document => ({ ok: 0, code, codeName, errmsg });

function matches(document: Document, filter: Document): boolean {
  return Object.entries(filter).every(([key, value]) => isDeepStrictEqual(document[key], value));
}

/** Documents in memory, and as many commands as the cases of the table need. */
export class MongoStore {
  private collections = new Map<string, Document[]>();
  private readonly transactions = new MongoTransactions();
  private readonly cursors = new Map<number, Document[]>();
  private hasTurnedAway = false;
  private cursorsMade = 0;

  /** Runs one command, in its transaction where it is of one. */
  answer(command: Document): Document {
    if (command.autocommit !== false) return this.run(command);
    if (command.commitTransaction !== undefined) {
      const { answer, documents } = this.transactions.commit(command);
      this.collections = documents ?? this.collections;
      return answer;
    }
    if (command.abortTransaction !== undefined) return this.transactions.abort(command);
    const seen = this.transactions.seenBy(command, this.collections);
    if (seen === undefined) return NO_SUCH_TRANSACTION;
    const outside = this.collections;
    this.collections = seen;
    try {
      return this.run(command);
    } finally {
      this.collections = outside;
    }
  }

  /** What is unknown is answered as a server does. */
  private run(command: Document): Document {
    const [name = '', target] = Object.entries(command)[0] ?? [];
    const documents = this.documentsOf(String(target));
    switch (name) {
      case 'hello':
      case 'ismaster':
      case 'isMaster':
        return {
          ok: 1,
          isWritablePrimary: true,
          helloOk: true,
          minWireVersion: 0,
          maxWireVersion: 21,
          readOnly: false,
          // Of a replica set, for a single server has no transactions.
          setName: 'rs0',
          logicalSessionTimeoutMinutes: 30,
        };
      case 'ping':
      case 'endSessions':
      case 'killCursors':
        return { ok: 1 };
      case 'drop':
        this.collections.delete(String(target));
        return { ok: 1 };
      case 'insert':
        return this.insert(documents, command.documents as Document[]);
      case 'update':
        return update(documents, command.updates as Document[]);
      case 'find':
        return this.find(command, documents);
      case 'getMore':
        return this.more(command);
      case 'aggregate':
        return this.page(`shop.${String(target)}`, [{ n: documents.length }], 0);
      default:
        return failed(59, 'CommandNotFound', `no such command: '${name}'`);
    }
  }

  private documentsOf(name: string): Document[] {
    const known = this.collections.get(name) ?? [];
    this.collections.set(name, known);
    return known;
  }

  private insert(documents: Document[], added: readonly Document[]): Document {
    const taken = added.findIndex(({ _id }) => documents.some((known) => isDeepStrictEqual(known._id, _id)));
    if (taken >= 0) {
      const errmsg = `E11000 duplicate key error: ${String(added[taken]?._id)}`;
      return { ok: 1, n: 0, writeErrors: [{ index: taken, code: DUPLICATE_KEY, errmsg, keyPattern: { _id: 1 } }] };
    }
    documents.push(...added);
    return { ok: 1, n: added.length };
  }

  private find(command: Document, documents: readonly Document[]): Document {
    if (command.comment === TURNED_AWAY && !this.hasTurnedAway) {
      this.hasTurnedAway = true;
      return failed(134, 'ReadConcernMajorityNotAvailableYet', 'not yet');
    }
    const found = documents.filter((document) => matches(document, (command.filter ?? {}) as Document));
    if (command.sort !== undefined) found.reverse();
    const page = this.page(
      `shop.${String(command.find)}`,
      found.slice(0, Number(command.limit) || undefined),
      Number(command.batchSize),
    );
    if (command.comment === FORGOTTEN) this.cursors.clear();
    return page;
  }

  /** The first batch, and a cursor for the others. */
  private page(ns: string, documents: readonly Document[], batchSize: number): Document {
    const first = documents.slice(0, batchSize || undefined);
    const rest = documents.slice(first.length);
    if (rest.length > 0) this.cursors.set(++this.cursorsMade, rest);
    const id = Long.fromNumber(rest.length > 0 ? this.cursorsMade : 0);
    return { ok: 1, cursor: { id, ns, firstBatch: first } };
  }

  private more({ getMore, collection, batchSize }: Document): Document {
    const rest = this.cursors.get(Number(getMore));
    if (rest === undefined) return failed(43, 'CursorNotFound', 'cursor id not found');
    const nextBatch = rest.splice(0, Number(batchSize) || undefined);
    if (rest.length === 0) this.cursors.delete(Number(getMore));
    const id = Long.fromNumber(rest.length > 0 ? Number(getMore) : 0);
    return { ok: 1, cursor: { id, ns: `shop.${String(collection)}`, nextBatch } };
  }
}

function update(documents: readonly Document[], updates: readonly Document[]): Document {
  let n = 0;
  for (const { q, u } of updates) {
    const found = documents.find((document) => matches(document, q as Document));
    if (found === undefined) continue;
    Object.assign(found, (u as Document).$set);
    n += 1;
  }
  return { ok: 1, n, nModified: n };
}
