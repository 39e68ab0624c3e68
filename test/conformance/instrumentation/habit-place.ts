/** Where something is done: the server it asks, and who hears of what it does. */
export interface HabitPlace {
  readonly address: string;
  readonly place: string;
  readonly hear: (what: string) => void;
}
