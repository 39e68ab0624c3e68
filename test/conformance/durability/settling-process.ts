import { openStore } from '@reenact/collector';

const [, , dataDirectory = ''] = process.argv;

/** Settles a store and compresses again what was compressed in a hurry, to be killed meanwhile. Says when it begins. */
const store = await openStore(dataDirectory);
console.log('settling');
await store.settle();
await store.close();
