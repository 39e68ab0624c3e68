import { systemDisk } from '../store/files/disk.ts';
import { openIndexForReading } from '../store/index/open-index.ts';
import { Settler } from '../store/pack/settler.ts';
import { StoreWriter } from '../store/worker/store-writer.ts';

/** Settles what the log of a closed store holds, as if so much waited that it has to be done in a hurry. */
export function settleHurriedly(dataDirectory: string): void {
  const settleAt = { logBytes: 0, hurryLogBytes: 0 };
  const writer = new StoreWriter({ dataDirectory, disk: systemDisk, settleAt });
  const database = openIndexForReading(dataDirectory);
  try {
    const settler = new Settler(database, systemDisk, dataDirectory);
    const upTo = writer.book.seal();
    for (;;) {
      const plan = writer.book.plan('everything', 0, upTo);
      if (plan?.isHurried !== true) return;
      const steps = writer.book.apply(settler.settle(plan));
      let step = steps.next();
      while (step.done !== true) step = steps.next();
      writer.book.release(step.value);
    }
  } finally {
    database.close();
    writer.close();
  }
}
