import assert from 'node:assert/strict'
import { test } from 'tap'
import { Patience } from './patience.ts'

/** A machine that works during so many looks and is quiet from then on. */
function machine(busyLooks: number) {
  let reads = 0
  let busy = 0
  const read = () => {
    // Two reads are one look.
    if (reads % 2 === 1 && reads < 2 * busyLooks) busy += 40
    reads++
    return { busy, stolen: 0 }
  }
  return { read, looks: () => reads / 2 }
}

test('nothing is looked at without patience', async () => {
  const busy = machine(1)
  const patience = new Patience(0, busy.read)
  await patience.untilQuiet()
  assert.equal(busy.looks(), 0)
  assert.ok(patience.isExhausted)
})

test('a busy machine is waited for until it is quiet', async () => {
  const busy = machine(1)
  const patience = new Patience(60_000, busy.read)
  await patience.untilQuiet()
  assert.equal(busy.looks(), 2)
  assert.equal(patience.isExhausted, false)
})

test('patience ends', async () => {
  const busy = machine(3)
  const patience = new Patience(1000, busy.read)
  patience.spend(500)
  await patience.untilQuiet()
  assert.equal(busy.looks(), 1)
  assert.ok(patience.isExhausted)
})
