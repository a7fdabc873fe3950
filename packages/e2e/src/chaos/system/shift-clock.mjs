// Loaded before a program (`--import`): its wall clock is off by as many seconds as CLOCK_FILE says (`+3600`), which may
// change while it runs. That is all the time of day that Node programs have: `Date`. Timers and `performance.now()`
// measure durations, which a wrong wall clock does not change.
import { readFileSync } from 'node:fs'

const lookEveryMs = 50
const readShiftMs = () => Number(readFileSync(process.env.CLOCK_FILE, 'utf8')) * 1000
let shiftMs = readShiftMs()
setInterval(() => {
  shiftMs = readShiftMs()
}, lookEveryMs).unref()
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
