import { firingsAreTold, observeFiring, pristine } from '@reenact/instrumentation';

/** What a timer was set with. */
export interface TimerCall {
  /** What the agent knows the timer as: its `this`. */
  readonly self: object;
  readonly callback: (...parameters: unknown[]) => unknown;
  readonly parameters: readonly unknown[];
}

/** Calls what a timer was set with. `began` is told just before. The result takes it back as long as it has not begun. */
export type CallTimer = (call: TimerCall, began: () => void) => () => void;

const nothing = (): void => undefined;
const areTold = firingsAreTold();

/** Calls it here and now. */
export const callAtOnce: CallTimer = ({ self, callback, parameters }, began) => {
  began();
  Reflect.apply(callback, self, parameters);
  return nothing;
};

/** Whether it leaves no line in any stack: what the platform made to resolve a promise, as most timers are set with. */
function leavesNoLine(callback: TimerCall['callback']): boolean {
  return callback.name === '' && Function.prototype.toString.call(callback) === 'function () { [native code] }';
}

/**
 * Has the platform call it as it calls timers of its own, a millisecond from now. An error that is made there, as most limits of time do, then has the stack
 * that it had when it was recorded; and agents answer with stacks, and give them to models.
 */
export const callAsTimeout: CallTimer = (call, began) => {
  if (!areTold || leavesNoLine(call.callback)) return callAtOnce(call, began);
  const timer = pristine.setTimeout(call.callback.bind(call.self), 1, ...call.parameters);
  observeFiring(timer, began);
  return () => pristine.clearTimeout(timer);
};

/** The same in the next turn of the event loop. */
export const callAsImmediate: CallTimer = (call, began) => {
  if (!areTold || leavesNoLine(call.callback)) return callAtOnce(call, began);
  const immediate = pristine.setImmediate(call.callback.bind(call.self), ...call.parameters);
  observeFiring(immediate, began);
  return () => pristine.clearImmediate(immediate);
};
