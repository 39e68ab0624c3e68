import { AsyncResource } from 'node:async_hooks';
import { ChildProcess } from 'node:child_process';
import {
  type AnswerListener,
  IdentifiedQuestions,
  type PatchSet,
  patchAnswers as patchChannels,
  patchResources,
  pristine,
  type ResourceEntry,
  type ResourceListener,
} from '@reenact/instrumentation';
import { ANSWER_LOOK_MS, ANSWER_MS_MAX, EXPECTED_CALL_MS_MAX, REAL_WORK_MS_MAX } from '../../limits.ts';
import type { ActiveTimes } from '../active-times.ts';
import type { RecordedEvent } from '../recorded/recorded-events.ts';
import type { ArmedTimer } from '../recorded/timer-place.ts';
import type { RunTime } from '../run-time.ts';
import { hasWorked, type StartedThread } from '../schedule/started-threads.ts';

interface Answer {
  readonly hand: () => void;
  /** Whether it has a place of its own among the events of the run. */
  readonly isEvent: boolean;
}

/** What all channels know together. */
interface Channels {
  /** How much has come whose turn it is not. */
  waiting: number;
  /** Whether who is at the other end of this one may still say something. */
  areAtWork(channel: object): boolean;
}

/** What comes over one channel, in the order in which it comes, each as its turn has come. */
class HeldChannel {
  private readonly channel: object;
  private readonly others: Channels;
  private readonly isOwn: boolean;
  private readonly waiting: Answer[] = [];
  private time: RunTime | undefined;
  /** Where what is to come stands; undefined: it comes when it comes. */
  private places: RecordedEvent[] | undefined;
  private armed: ArmedTimer | undefined;
  private heard: (() => void) | undefined;
  private isHandingLater = false;

  /** `isOwn`: what comes is for one question or resource of the run, whoever works for it. */
  constructor(channel: object, others: Channels, isOwn = false) {
    this.channel = channel;
    this.others = others;
    this.isOwn = isOwn;
  }

  /** Whether what comes has other places, by what was asked before. */
  isPlacedOtherwiseThan(places: RecordedEvent[] | undefined): boolean {
    return this.places !== undefined && this.places !== places;
  }

  /** Whether what comes next has one. */
  get isNextPlaced(): boolean {
    return this.armed !== undefined;
  }

  /** Whether something has come that waits, or is still to come. */
  get isOpen(): boolean {
    return this.isNextPlaced || this.isHolding;
  }

  /** Whether something has come that waits. */
  get isHolding(): boolean {
    return this.waiting.length > 0;
  }

  /** From now on what comes has these places. */
  askedBy(time: RunTime, places: RecordedEvent[] | undefined): void {
    if (places === this.places) return;
    this.armed?.cancel();
    this.armed = undefined;
    this.time = time;
    this.places = places;
    this.armNext();
  }

  came(answer: Answer): void {
    if (this.armed === undefined && this.waiting.length === 0) {
      answer.hand();
      return;
    }
    if (!answer.isEvent && this.waiting.length === 0) {
      answer.hand();
      return;
    }
    const resource = new AsyncResource('Answer');
    this.others.waiting += 1;
    this.waiting.push({ ...answer, hand: () => resource.runInAsyncScope(answer.hand) });
    this.armed?.hold(true);
    this.heard?.();
    this.handLater();
  }

  private armNext(): void {
    const recorded = this.time?.hasGivenUpAnswers(this.isOwn) === true ? undefined : this.places?.shift();
    this.armed = undefined;
    if (recorded === undefined || this.time === undefined) {
      this.handAll();
      return;
    }
    this.armed = this.time.arm({
      delayMs: 0,
      isHolding: this.waiting.length > 0,
      isWork: true,
      recorded,
      fire: (began) => this.fire(began),
      dropped: () => this.stop(),
    });
  }

  private fire(began: () => void): () => void {
    if (this.time?.hasGivenUpAnswers(this.isOwn) === true) {
      began();
      this.stop();
      return () => undefined;
    }
    const handOn = (): void => {
      began();
      this.handFirst();
      this.armNext();
    };
    if (this.waiting.length > 0) {
      handOn();
      return () => undefined;
    }
    let waitedMs = 0;
    let quietMs = 0;
    const lookAgain = (): void => {
      waitedMs += ANSWER_LOOK_MS;
      quietMs = this.others.areAtWork(this.channel) ? 0 : quietMs + ANSWER_LOOK_MS;
      const patienceMs = this.others.waiting > 0 ? EXPECTED_CALL_MS_MAX : REAL_WORK_MS_MAX;
      if (quietMs < patienceMs && waitedMs < ANSWER_MS_MAX) return;
      pristine.clearInterval(patience);
      this.heard = undefined;
      this.time?.gaveUpAnswers(this.isOwn);
      began();
      this.stop();
    };
    const patience = pristine.setInterval(lookAgain, ANSWER_LOOK_MS);
    this.heard = () => {
      pristine.clearInterval(patience);
      this.heard = undefined;
      handOn();
    };
    return () => {
      pristine.clearInterval(patience);
      this.heard = undefined;
    };
  }

  /** Nothing has a place any more. */
  private stop(): void {
    this.places?.splice(0);
    this.armed = undefined;
    this.handAll();
  }

  private handAll(): void {
    if (!this.isHandingLater && this.waiting.length > 0) this.hand();
    this.handLater();
  }

  private handFirst(): void {
    // What has no place of its own came before.
    while (this.waiting[0]?.isEvent === false) this.hand();
    this.hand();
    this.handLater();
  }

  /** Gives what waits for no place in turns of the event loop of their own, as the platform does: who hears of a message listens for the end only then. */
  private handLater(): void {
    if (this.isHandingLater || !this.isFirstFree()) return;
    this.isHandingLater = true;
    pristine.setImmediate(() => {
      this.isHandingLater = false;
      if (this.isFirstFree()) this.hand();
      this.handLater();
    });
  }

  private isFirstFree(): boolean {
    const [first] = this.waiting;
    return first !== undefined && (this.armed === undefined || !first.isEvent);
  }

  private hand(): void {
    this.others.waiting -= 1;
    try {
      this.waiting.shift()?.hand();
    } catch (thrown) {
      // By a listener: nobody around here may catch it, or be stopped by it.
      pristine.nextTick(() => {
        throw thrown;
      });
    }
  }
}

class HeldAnswers implements AnswerListener, ResourceListener, Channels {
  waiting = 0;
  private readonly times: ActiveTimes;
  private readonly channels = new WeakMap<object, HeldChannel>();
  private readonly questions = new IdentifiedQuestions<HeldChannel>();
  private readonly open = new WeakMap<object, HeldChannel[]>();
  private readonly threads = new Set<WeakRef<StartedThread>>();

  constructor(times: ActiveTimes) {
    this.times = times;
  }

  asked(channel: object, message?: unknown): void {
    const here = this.times.here();
    const known = this.channels.get(channel);
    if (here === undefined) return;
    const comesAt = here.time.recordedAnswers(here.position, channel);
    // A pool hands on what waits in its queue, from where it is told that a thread is free.
    if (here.position === undefined && known?.isPlacedOtherwiseThan(comesAt) === true) return;
    const held = known ?? this.hold(channel);
    held.askedBy(here.time, comesAt);
    this.questions.asked(this, channel, message, () => {
      const places = here.time.recordedReplies(here.position);
      if (places.length === 0) return undefined;
      const question = new HeldChannel(channel, this, true);
      question.askedBy(here.time, places);
      this.open.set(channel, [...this.openOf(channel), question]);
      return question;
    });
  }

  /** The questions over this channel to which something is still to be handed on. */
  private openOf(channel: object): HeldChannel[] {
    return (this.open.get(channel) ?? []).filter(({ isOpen }) => isOpen);
  }

  private hold(channel: object): HeldChannel {
    if ('threadId' in channel) this.threads.add(new WeakRef(channel as StartedThread));
    const held = new HeldChannel(channel, this);
    this.channels.set(channel, held);
    return held;
  }

  /** Who has the other end of a port is not known: all threads count. */
  areAtWork(channel: object): boolean {
    if (channel instanceof ChildProcess) return channel.exitCode === null && channel.signalCode === null;
    return [...this.threads].some((reference) => {
      const thread = reference.deref();
      return thread !== undefined && hasWorked(thread);
    });
  }

  came(channel: object, hand: () => void, message?: unknown): void {
    const question = this.questions.answeredBy([this], channel, message);
    if (question !== undefined) question.came({ hand, isEvent: true });
    else if (message !== undefined) this.give(channel, { hand, isEvent: true });
    else this.giveLast(channel, { hand, isEvent: true });
  }

  polled(channel: object, take: () => unknown): unknown {
    // What is there comes as it has come, to who is told of it.
    const held = [this.channels.get(channel), ...this.openOf(channel)];
    return held.some((each) => each?.isNextPlaced === true) ? undefined : take();
  }

  behind(channel: object, hand: () => void): void {
    this.giveLast(channel, { hand, isEvent: false });
  }

  made(type: string): ResourceEntry | undefined {
    const here = this.times.here();
    const places = here?.time.recordedEntries(here.position, type) ?? [];
    if (here === undefined || places.length === 0) return undefined;
    const held = new HeldChannel(places, this, true);
    held.askedBy(here.time, places);
    return (below) =>
      function runInAsyncScope(this: unknown, ...parameters) {
        let given: unknown;
        const enter = (): void => {
          given = Reflect.apply(below(), this, parameters);
        };
        held.came({ hand: enter, isEvent: true });
        return given;
      };
  }

  /** An end comes behind what has come to questions and waits for its turn. */
  private giveLast(channel: object, answer: Answer): void {
    const before = this.openOf(channel).find(({ isHolding }) => isHolding);
    if (before === undefined) this.give(channel, answer);
    else before.came({ hand: () => this.giveLast(channel, answer), isEvent: false });
  }

  private give(channel: object, answer: Answer): void {
    const held = this.channels.get(channel);
    if (held === undefined) answer.hand();
    else held.came(answer);
  }
}

/** Has what worker threads, ports and child processes say come, inside replays, where it was recorded to in the order of events (docs/adr/0047). */
export function patchAnswers(patches: PatchSet, times: ActiveTimes): void {
  const answers = new HeldAnswers(times);
  patchChannels(patches, answers);
  patchResources(patches, answers);
}
