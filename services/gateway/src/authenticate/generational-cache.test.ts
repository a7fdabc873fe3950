import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { GenerationalCache } from './generational-cache.ts'

t.test('the cache returns only the last value set, and holds at most two generations', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.nat({ max: 12 })), (limit, names) => {
      const cache = new GenerationalCache<number>(limit)
      const last = new Map<string, number>()
      names.forEach((name, index) => {
        cache.set(String(name), index)
        last.set(String(name), index)
      })
      const rest = [...last].filter(([name]) => cache.get(name) !== undefined)
      assert.ok(rest.every(([name, value]) => cache.get(name) === value))
    })
  )
  t.end()
})

t.test('an entry in use stays, no matter how many others are set', (t) => {
  const cache = new GenerationalCache<string>(10)
  cache.set('used', 'here')
  for (let other = 0; other < 1000; other++) {
    cache.set(`other ${other}`, '')
    assert.equal(cache.get('used'), 'here')
  }
  let size = 0
  for (let other = 0; other < 1000; other++) if (cache.get(`other ${other}`) !== undefined) size++
  assert.ok(size <= 20)
  t.end()
})
