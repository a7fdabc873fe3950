import assert from 'node:assert/strict'
import { frequentCounters } from '@tollgate/contracts/meters/meters.ts'
import { test } from 'tap'
import { packParts, unpackParts } from '../wire/packed.ts'
import { expandLayouts, layouts } from './layouts.ts'

test('an expression is written out for each part of a layout, in order', async () => {
  assert.equal(
    expandLayouts('local EACH(key, keyName) = struct.unpack(FORM(key), packed)'),
    "local keyVersion, keyMonth, keySettled, keyReserved, keyArrival = struct.unpack('<ddddd', packed)"
  )
  assert.equal(expandLayouts('EACH(marker, NAME)'), 'version, month, run, lost')
  assert.equal(expandLayouts('FORM(marker)'), "'<ddss'")
  assert.equal(
    expandLayouts('SUM(key, NAME % 1) == 0 and ALL(key, NAME >= 0)'),
    'version % 1 + month % 1 + settled % 1 + reserved % 1 + arrival % 1 == 0 and ' +
      'version >= 0 and month >= 0 and settled >= 0 and reserved >= 0 and arrival >= 0'
  )
  assert.equal(expandLayouts('EACH(counters, NAME)'), frequentCounters.join(', '))
})

test('an unknown layout is an error when scripts are loaded', async () => {
  assert.throws(() => expandLayouts('EACH(acount, NAME)'), /acount/)
  assert.throws(() => expandLayouts('FORM(toString)'), /toString/)
})

test('a row begins as older versions wrote it, and later counters come at its end', async () => {
  assert.deepEqual(Object.keys(layouts.row).slice(0, 12), [
    'requests',
    'errors',
    'promptTokens',
    'cachedTokens',
    'completionTokens',
    'costNanos',
    'estimatedRequests',
    'estimatedNanos',
    'revision',
    'born',
    'isListed',
    'reasoningTokens'
  ])
})

test('packed parts are read back', async () => {
  const hold = {
    deadline: 1,
    at: 2,
    granted: 3,
    nanos: 4,
    promptTokens: 5,
    tokens: 6,
    tokensPerMinute: 7,
    tag: 'tag',
    keyField: 'k:key_1',
    model: 'größe/模型',
    budgets: 'bd:1 bw:2'
  }
  assert.deepEqual(unpackParts(layouts.hold, Buffer.from(packParts(layouts.hold, hold), 'latin1')), hold)
})
