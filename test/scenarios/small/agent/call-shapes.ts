// Prints what a program can see of the functions by which threads and processes are started, told and ended, and of what pools call back in.
import asyncHooks, { AsyncResource } from 'node:async_hooks';
import childProcess, { ChildProcess } from 'node:child_process';
import cluster from 'node:cluster';
import { promisify } from 'node:util';
import workerThreads, { BroadcastChannel, MessagePort, Worker } from 'node:worker_threads';

const owners = {
  childProcess,
  cluster,
  workerThreads,
  process: { kill: process.kill },
  ChildProcess: ChildProcess.prototype,
  Worker: Worker.prototype,
  MessagePort: MessagePort.prototype,
  BroadcastChannel: BroadcastChannel.prototype,
  Atomics,
  asyncHooks,
  AsyncResource: AsyncResource.prototype,
};

function shapeOf({ value, writable, configurable, enumerable }: PropertyDescriptor): object {
  const called = value as { readonly name: string; readonly length: number; readonly [promisify.custom]?: unknown };
  const custom = called[promisify.custom];
  return {
    name: called.name,
    length: called.length,
    kind: (Object.getPrototypeOf(called) as object).constructor.name,
    symbols: Object.getOwnPropertySymbols(called).map(String),
    promises: typeof custom === 'function' && custom.name,
    member: [writable, configurable, enumerable],
  };
}

const table: Record<string, object> = {};
for (const [name, owner] of Object.entries(owners)) {
  for (const key of Object.keys(Object.getOwnPropertyDescriptors(owner))) {
    const member = Object.getOwnPropertyDescriptor(owner, key);
    // What stands before an inherited one is told by that.
    const isOwn = key !== 'emit' && typeof member?.value === 'function';
    if (isOwn && member !== undefined) table[`${name}.${key}`] = shapeOf(member);
  }
}

class Named extends Worker {}
class Task extends AsyncResource {}
const [resource, task] = [new AsyncResource('plain'), new Task('named')];
const [plain, named] = [new Worker('', { eval: true }), new Named('', { eval: true })];
const child = childProcess.spawn(process.execPath, ['--version']);
table.instances = {
  plain: [plain instanceof Worker, plain.constructor === Worker, Reflect.ownKeys(plain).map(String)],
  named: [named instanceof Named, named instanceof Worker, named.constructor === Named],
  resource: [resource instanceof AsyncResource, resource.constructor === AsyncResource, Object.keys(resource)],
  task: [task instanceof Task, task instanceof AsyncResource, task.constructor === Task, task.runInAsyncScope.name],
  child: [child instanceof ChildProcess, Reflect.ownKeys(child).map(String)],
  emit: [plain.emit.name, plain.emit.length, child.emit.name, child.emit.length],
};
process.stdout.write(JSON.stringify(table));
