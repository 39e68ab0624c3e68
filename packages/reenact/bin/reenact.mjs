#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
import { setFlagsFromString } from 'node:v8';

// V8 marks the heap and copies what is left of new objects on threads beside, which take more processor time than they spare the one that waits: up
// to a third of what the collector takes for a request (docs/adr/0035). Before anything is imported, because no marking may have begun by then.
setFlagsFromString('--no-concurrent-marking');
setFlagsFromString('--no-parallel-scavenge');

// Before anything is imported: what is, an older Node.js answers with errors that name modules and no version.
const needed = [22, 19];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > needed[0] || (major === needed[0] && minor >= needed[1])) await import('../dist/main.js');
else {
  process.stderr.write(`✗ Node.js ${needed.join('.')} or newer is needed, and this is ${process.versions.node}.\n`);
  process.stderr.write('Install a newer one, or put it first in PATH.\n');
  process.exitCode = 2;
}
