import assert from 'node:assert/strict'
import { test } from 'tap'
import { Patience } from './machine.ts'

/** A machine that is busy for this many checks, and quiet afterwards. */
function machine(busyChecks: number) {
  let reads = 0
  let busy = 0
  const read = () => {
    // Two reads are one check.
    if (reads % 2 === 1 && reads < 2 * busyChecks) busy += 40
    reads++
    return { busy, stolen: 0 }
  }
  return { read, checks: () => reads / 2 }
}

test('without patience, the machine is not checked', async () => {
  const busy = machine(1)
  const patience = new Patience(0, busy.read)
  await patience.untilQuiet()
  assert.equal(busy.checks(), 0)
  assert.ok(patience.isExhausted)
})

test('patience waits until a busy machine is quiet', async () => {
  const busy = machine(1)
  const patience = new Patience(60_000, busy.read)
  await patience.untilQuiet()
  assert.equal(busy.checks(), 2)
  assert.equal(patience.isExhausted, false)
})

test('patience ends after the time limit', async () => {
  const busy = machine(3)
  const patience = new Patience(1000, busy.read)
  patience.spend(500)
  await patience.untilQuiet()
  assert.equal(busy.checks(), 1)
  assert.ok(patience.isExhausted)
})
