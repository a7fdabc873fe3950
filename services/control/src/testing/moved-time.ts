import { databaseClock, type SharedTime, timeAfter } from '../clocks/clock.ts'

/** PostgreSQL's time, moved by as much as a test says. */
export const movedTime =
  (movedMs: () => number): SharedTime =>
  () =>
    timeAfter(databaseClock, movedMs())
