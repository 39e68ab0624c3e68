import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { MetricsQueue } from './metrics-queue.ts';
import { QueueWriter } from './queue-writer.ts';

let database: DatabaseSync;
let queue: MetricsQueue;
beforeEach(() => {
  database = new DatabaseSync(':memory:');
  database.exec(`
    CREATE TABLE metrics_request (id INTEGER PRIMARY KEY, format INTEGER NOT NULL, bytes BLOB NOT NULL);
    CREATE TABLE queue (id INTEGER PRIMARY KEY AUTOINCREMENT, destination TEXT NOT NULL, signal INTEGER NOT NULL, item INTEGER NOT NULL);
    INSERT INTO queue (destination, signal, item) VALUES ('jaeger', 0, 1);
  `);
  queue = new MetricsQueue(database, 100);
});

/** Adds a request for two destinations, as the index does. */
function add(id: number, bytes: number): number {
  const gone = queue.add({ id, format: 'protobuf', bytes: new Uint8Array(bytes) });
  for (const destination of ['jaeger', 'tempo'])
    database.prepare('INSERT INTO queue (destination, signal, item) VALUES (?, 2, ?)').run(destination, id);
  return gone;
}

const waiting = (): unknown[] =>
  database
    .prepare('SELECT id FROM metrics_request ORDER BY id')
    .all()
    .map(({ id }) => id);
const entries = (): unknown[] =>
  database
    .prepare('SELECT item FROM queue WHERE signal = 2 ORDER BY id')
    .all()
    .map(({ item }) => item);

describe('metrics that wait', () => {
  it('are kept up to a limit, and then the oldest go for all destinations, with some room made', () => {
    expect([1, 2, 3, 4].map((id) => add(id, 25))).toEqual([0, 0, 0, 0]);
    expect(add(5, 10)).toBe(1);
    expect([waiting(), entries()]).toEqual([
      [2, 3, 4, 5],
      [2, 2, 3, 3, 4, 4, 5, 5],
    ]);
    expect(add(6, 40)).toBe(2);
    expect(waiting()).toEqual([4, 5, 6]);
  });

  it('never take what waits of runs with them, though it has the same number', () => {
    add(1, 60);
    expect(add(2, 60)).toBe(1);
    expect(database.prepare('SELECT destination FROM queue WHERE signal = 0').all()).toEqual([
      { destination: 'jaeger' },
    ]);
  });

  it('are one at least, however large', () => {
    expect(add(1, 500)).toBe(0);
    expect(add(2, 500)).toBe(1);
    expect(waiting()).toEqual([2]);
  });

  it('make room by being delivered, and are counted anew where what was added was never written', () => {
    add(1, 50);
    add(2, 50);
    new QueueWriter(database).drop('jaeger', 10);
    new QueueWriter(database).drop('tempo', 10);
    expect([waiting(), add(3, 90), add(4, 10)]).toEqual([[], 0, 0]);
    database.exec('BEGIN');
    add(5, 80);
    database.exec('ROLLBACK');
    queue.forget();
    expect([waiting(), add(6, 0)]).toEqual([[3, 4], 0]);
  });
});
