import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { maxSeries } from '../charts/series.ts'
import { createColouring } from './colour-series.ts'

const seriesOf = (ids: readonly string[]) => ids.map((id) => ({ id, name: id, values: [] }))

test('two series of a chart never share a colour, and the others together always have the last one', async () => {
  const colour = createColouring()
  const ids = fc.uniqueArray(fc.constantFrom('', '=a', '=b', '=c', '=d', '=e', '=f', '=g'), { maxLength: maxSeries })
  fc.assert(
    fc.property(ids, (chosen) => {
      const coloured = colour(seriesOf(chosen))
      assert.deepEqual(
        coloured.map(({ id }) => id),
        chosen
      )
      assert.equal(new Set(coloured.map(({ colour }) => colour)).size, chosen.length)
      assert.ok(coloured.every(({ colour }) => colour >= 0 && colour < maxSeries))
      assert.equal(coloured.find(({ id }) => id === '')?.colour ?? maxSeries - 1, maxSeries - 1)
    })
  )
})

test('a series keeps its colour in another order, with fewer series, and beside new ones', async () => {
  const colour = createColouring()
  const coloursOf = (...ids: string[]) => new Map(colour(seriesOf(ids)).map(({ id, colour }) => [id, colour]))
  const first = coloursOf('=a', '=b', '=c', '')
  for (const ids of [['=c', '', '=a', '=b'], ['=b'], ['=x', '=c', '=a', ''], ['=b', '=y', '=a']]) {
    for (const [id, colour] of coloursOf(...ids)) assert.equal(first.get(id) ?? colour, colour)
  }
  const [there, back] = [createColouring(), createColouring()]
  assert.deepEqual(
    there(seriesOf(['=a', '=b', '=c'])).map(({ colour }) => colour),
    back(seriesOf(['=c', '=b', '=a']))
      .map(({ colour }) => colour)
      .reverse(),
    'a reload keeps the colours, whatever the order'
  )
})

test('a model has one colour in all charts, whichever is shown first and beside which others', async () => {
  const models = ['=a', '=b', '=c', '=d']
  const ids = fc.subarray(models, { minLength: 1 })
  const colours = new Map<string, number>()
  fc.assert(
    fc.property(fc.array(ids, { minLength: 1, maxLength: 4 }), (charts) => {
      // Each time as after a reload.
      const colour = createColouring()
      for (const chart of charts) {
        for (const { id, colour: its } of colour(seriesOf([...chart, '']), models)) {
          assert.equal(colours.get(id) ?? its, its, id)
          colours.set(id, its)
        }
      }
    })
  )
  assert.equal(new Set(colours.values()).size, 5)
})

test('series that were never in one chart have different colours, too', async () => {
  const colour = createColouring()
  const alone = ['=k', '=l', '=m', '=n'].map((id) => colour(seriesOf([id]))[0]?.colour)
  assert.equal(new Set(alone).size, 4)
})
