// Opens a store, and says what came of it.
import { openStore } from '@reenact/collector';

try {
  const store = await openStore(process.argv[2] ?? '');
  await store.close();
  console.log('opened');
} catch (thrown) {
  console.log(String(thrown));
}
