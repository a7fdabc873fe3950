import assert from 'node:assert/strict'
import { test } from 'tap'
import { chooseCores, parseCpuList } from './cores.ts'

test('ranges in a list of cores are expanded', async () => {
  assert.deepEqual(parseCpuList('0-2,5\n'), [0, 1, 2, 5])
  assert.deepEqual(parseCpuList('3'), [3])
  assert.throws(() => parseCpuList(''), /not a list/)
  assert.throws(() => parseCpuList('0-x'), /not a list/)
})

test('load and measured process get different physical cores if possible', async () => {
  const neighbours = (core: number) => [core & ~1, core | 1]
  assert.deepEqual(chooseCores([0, 1, 2, 3], neighbours), { load: 0, measured: 2 })
  assert.deepEqual(chooseCores([0, 1], neighbours), { load: 0, measured: 1 })
  assert.deepEqual(
    chooseCores([4, 7], (core) => [core]),
    { load: 4, measured: 7 }
  )
})

test('a single core cannot be divided', async () => {
  assert.equal(
    chooseCores([3], (core) => [core]),
    null
  )
})
