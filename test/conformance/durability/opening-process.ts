// Opens a store, and says what came of it.
import { openStore } from '@reenact/collector';

try {
  const store = await openStore(process.argv[2] ?? '');
  const { spans } = await store.stats();
  await store.close();
  console.log(`opened with ${spans} spans`);
} catch (thrown) {
  console.log(String(thrown));
}
