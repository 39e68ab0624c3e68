import type { Document } from 'mongodb';

/** Comments of an operation in a transaction that choose how its commit is answered. */
export const COMMITS = {
  /** The first time with an error which drivers answer by running the whole transaction again. */
  again: 'commit fails, the transaction may be run again',
  /** The first time with an error of which nobody knows whether it was committed, which drivers ask again about. */
  unknown: 'commit was interrupted',
  /** Always with an error. */
  refused: 'commit is refused',
} as const;

type Documents = Map<string, Document[]>;

interface OpenTransaction {
  readonly documents: Documents;
  readonly comments: Set<unknown>;
}

const failed = (code: number, codeName: string, errmsg: string, errorLabels: readonly string[] = []): Document => ({
  ok: 0,
  code,
  codeName,
  errmsg,
  ...(errorLabels.length > 0 && { errorLabels }),
});

export const NO_SUCH_TRANSACTION = failed(251, 'NoSuchTransaction', 'Given transaction number does not match any', [
  'TransientTransactionError',
]);

const answers: Readonly<Record<keyof typeof COMMITS, Document>> = {
  again: failed(112, 'WriteConflict', 'Caused by a conflict', ['TransientTransactionError']),
  unknown: failed(11_601, 'Interrupted', 'operation was interrupted', ['UnknownTransactionCommitResult']),
  refused: failed(246, 'SnapshotUnavailable', 'The commit was refused'),
};

/** A copy in which a transaction may change what it likes. */
function copied(documents: Documents): Documents {
  return new Map(Array.from(documents, ([name, list]) => [name, list.map((document) => ({ ...document }))]));
}

function keyOf({ lsid, txnNumber }: Document): string {
  return `${String(lsid?.id?.toString('hex'))} ${String(txnNumber)}`;
}

/** What runs in transactions, each of which sees its own changes and nobody else's until it is committed. */
export class MongoTransactions {
  private readonly open = new Map<string, OpenTransaction>();
  private readonly failedOnce = new Set<unknown>();

  /** The documents as the transaction of an operation sees them; undefined where there is no such transaction. */
  seenBy(command: Document, documents: Documents): Documents | undefined {
    const key = keyOf(command);
    if (command.startTransaction === true) {
      this.open.set(key, { documents: copied(documents), comments: new Set() });
    }
    const transaction = this.open.get(key);
    transaction?.comments.add(command.comment);
    return transaction?.documents;
  }

  /** The answer to a commit, and all documents as they are then; without them where nothing was committed. */
  commit(command: Document): { readonly answer: Document; readonly documents?: Documents } {
    const key = keyOf(command);
    const transaction = this.open.get(key);
    if (transaction === undefined) return { answer: NO_SUCH_TRANSACTION };
    const { documents, comments } = transaction;
    for (const name of ['again', 'unknown', 'refused'] as const) {
      const comment = COMMITS[name];
      if (!comments.has(comment) || this.failedOnce.has(comment)) continue;
      if (name !== 'refused') this.failedOnce.add(comment);
      if (name !== 'unknown') this.open.delete(key);
      return { answer: answers[name] };
    }
    this.open.delete(key);
    return { answer: { ok: 1 }, documents };
  }

  /** Forgets what the transaction changed. */
  abort(command: Document): Document {
    return this.open.delete(keyOf(command)) ? { ok: 1 } : NO_SUCH_TRANSACTION;
  }
}
