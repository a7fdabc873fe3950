import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { highestValue, labelledPlaces, placeAfterKey, type Series, sumAt, withColours } from './series.ts'

const series: Series[] = [
  { id: 'a', name: 'A', values: [1, 5, null] },
  { id: 'b', name: 'B', values: [2, 0, 4] }
]

test('a series has its own colour, or that of its place', async () => {
  assert.deepEqual(
    withColours([...series, { id: 'c', name: 'C', values: [], colour: 4 }]).map(({ id, colour }) => [id, colour]),
    [
      ['a', 0],
      ['b', 1],
      ['c', 4]
    ]
  )
})

test('the axis covers stacked sums, single values, and the range before', async () => {
  for (const [kind, before, highest] of [
    ['stacked', [], 5],
    ['stacked', [0, 9, 0], 9],
    ['grouped', [], 5],
    ['lines', [], 5]
  ] as const) {
    assert.equal(highestValue(series, kind, before), highest)
  }
  assert.deepEqual(
    [0, 1, 2].map((at) => sumAt(series, at)),
    [3, 5, 4]
  )
  assert.equal(highestValue([], 'stacked'), 0)
})

test('labels start at the first place, are evenly spaced, and fit', async () => {
  assert.deepEqual(labelledPlaces(5, 10), [0, 1, 2, 3, 4])
  assert.deepEqual(labelledPlaces(30, 6), [0, 5, 10, 15, 20, 25])
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 1, max: 20 }), (count, most) => {
      const places = labelledPlaces(count, most)
      assert.ok(places.length >= 1 && places.length <= most)
      assert.equal(places[0], 0)
      assert.ok(places.every((place) => place < count))
    })
  )
})

test('keys move by one place, by a week, or to an end, and never out of the chart', async () => {
  for (const [key, place, next] of [
    ['ArrowLeft', 0, 0],
    ['ArrowRight', 0, 1],
    ['PageUp', 5, 9],
    ['PageDown', 8, 1],
    ['Home', 8, 0],
    ['End', 0, 9],
    ['a', 3, undefined]
  ] as const) {
    assert.equal(placeAfterKey(key, place, 10), next)
  }
})
