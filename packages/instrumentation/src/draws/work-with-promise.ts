import { types } from 'node:util';
import type { Behaviour } from '../patching/patch-set.ts';
import { handedOn } from '../results/observe-promise.ts';
import type { OutsideWork, WorkOf } from './outside-work.ts';

function toldOf(waiting: unknown, work: OutsideWork): unknown {
  if (types.isPromise(waiting))
    return handedOn(waiting, { fulfilled: () => work.ended(), rejected: () => work.ended() });
  work.ended();
  return waiting;
}

/** Asks about the work of a function that gives a promise. `isWhole`: whether a call is such work and waits for nothing of the host. */
export function workWithPromise(
  name: string,
  workOf: WorkOf,
  isWhole: (parameters: readonly unknown[]) => boolean = () => true,
): Behaviour {
  return ({ parameters, proceed }) => {
    const work = isWhole(parameters) ? workOf(name) : undefined;
    if (work === undefined) return proceed();
    let given: { readonly waiting: unknown } | undefined;
    let give = (waiting: unknown): void => {
      given = { waiting };
    };
    work.begin(() => give(toldOf(proceed(), work)));
    if (given !== undefined) return given.waiting;
    return new Promise((resolve) => {
      give = resolve;
    });
  };
}
