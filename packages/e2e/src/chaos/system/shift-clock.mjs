// Loaded before a program (`--import`): its wall clock is off by CLOCK_SHIFT_MS. That is all the time of day that Node
// programs have: `Date`. Timers and `performance.now()` measure durations, which a wrong wall clock does not change.
const shiftMs = Number(process.env.CLOCK_SHIFT_MS)
const Real = Date

globalThis.Date = class ShiftedDate extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() + shiftMs)
    else super(...given)
  }

  static now() {
    return Real.now() + shiftMs
  }
}
