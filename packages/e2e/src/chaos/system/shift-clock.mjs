// Loaded before a Node program (`--import`). Shifts its wall clock by the seconds in CLOCK_FILE (`+3600`), which may
// change while it runs. `Date` is the only wall clock of a Node program. Timers and `performance.now()` measure
// durations, which a wrong wall clock does not change.
import { readFileSync } from 'node:fs'

const pollMs = 50
const readShiftMs = () => Number(readFileSync(process.env.CLOCK_FILE, 'utf8')) * 1000
let shiftMs = readShiftMs()
setInterval(() => {
  shiftMs = readShiftMs()
}, pollMs).unref()
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
