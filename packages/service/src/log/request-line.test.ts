import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { roundedMsText, roundMs } from './request-line.ts'

t.test('the text of a rounded time is that of the number', (t) => {
  const times = fc.oneof(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.nat(), fc.constantFrom(0, 0.04, 0.05, 9.95))
  fc.assert(fc.property(times, (ms) => assert.equal(roundedMsText(ms), String(roundMs(ms)))))
  t.end()
})
