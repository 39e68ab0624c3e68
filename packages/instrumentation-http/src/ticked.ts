/** Calls as the platform calls when something was read: what is put off to the next tick comes before whatever awaits. */
export function ticked<Value>(call: () => Value): Promise<Value> {
  return new Promise((resolve, reject) => {
    process.nextTick(() => {
      try {
        resolve(call());
      } catch (error) {
        reject(error);
      }
    });
  });
}
