import { type ErrorClass, registerErrorClass } from '@reenact/trace-model';

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && value.prototype instanceof Error;
}

/**
 * Makes the error classes known that hang on a client class, so that an error of theirs that left a tool is thrown again
 * as an instance of its class. Where two libraries name a class alike, or one is loaded twice, the last one counts.
 */
export function registerErrorClasses(clientClass: unknown): void {
  let holder: unknown = clientClass;
  while (typeof holder === 'function' && holder !== Function.prototype) {
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(holder))) {
      if (isErrorClass(value)) registerErrorClass(value);
    }
    holder = Object.getPrototypeOf(holder);
  }
}
