import assert from 'node:assert/strict'
import fc from 'fast-check'
import { AggregatorRegistry, Counter, Histogram, Registry } from 'prom-client'
import t from 'tap'
import { FastCounter, FastHistogram } from './fast-series.ts'

const buckets = [0.25, 1, 2.5, 1000]
const labelNames = ['first', 'second'] as const
const help = 'A help with "quotes", a \\ and\na second line'

/** The same metrics twice: ours and prom-client's. */
function twins() {
  const [fast, plain] = [new Registry(), new Registry()]
  const counter = { name: 'a_total', help, labelNames }
  const histogram = { name: 'b_seconds', help, labelNames, buckets: [...buckets] }
  return {
    fast,
    plain,
    ours: {
      counter: new FastCounter({ ...counter, registry: fast }),
      histogram: new FastHistogram({ ...histogram, registry: fast })
    },
    theirs: {
      counter: new Counter({ ...counter, registers: [plain] }),
      histogram: new Histogram({ ...histogram, registers: [plain] })
    }
  }
}

/** Lines in an order that does not depend on which series was first. */
const sorted = (text: string): string[] => text.split('\n').toSorted()

const label = fc.oneof(fc.constantFrom('', 'a', 'other', '"', '\\', '\n', '}', 'ü🎉', '__proto__'), fc.string())
const event = fc.record({
  first: label,
  second: label,
  amount: fc.oneof(fc.constantFrom(...buckets, 0), fc.double({ min: 0, max: 2000, noNaN: true }))
})

t.test('any events are shown exactly as prom-client shows them, also summed up over processes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 30 }), fc.array(event, { maxLength: 30 }), async (some, more) => {
      const processes = [some, more].map((events) => {
        const process = twins()
        for (const { first, second, amount } of events) {
          process.ours.counter.series(first, second).add(amount)
          process.theirs.counter.inc({ first, second }, amount)
          process.ours.histogram.series(first, second).observe(amount)
          process.theirs.histogram.observe({ first, second }, amount)
        }
        return process
      })
      for (const { fast, plain } of processes) {
        assert.deepEqual(sorted(await fast.metrics()), sorted(await plain.metrics()))
      }
      const sum = async (registries: Registry[]) =>
        AggregatorRegistry.aggregate(await Promise.all(registries.map((one) => one.getMetricsAsJSON()))).metrics()
      assert.deepEqual(
        sorted(await sum(processes.map(({ fast }) => fast))),
        sorted(await sum(processes.map(({ plain }) => plain)))
      )
    })
  )
})

t.test('a metric without labels is shown like prom-client’s', async () => {
  const [fast, plain] = [new Registry(), new Registry()]
  new FastCounter({ name: 'a_total', help, registry: fast }).series().add(3)
  new Counter({ name: 'a_total', help, registers: [plain] }).inc(3)
  new FastHistogram({ name: 'b', help, buckets, registry: fast }).series().observe(1)
  new Histogram({ name: 'b', help, buckets: [...buckets], registers: [plain] }).observe(1)
  assert.equal(await fast.metrics(), await plain.metrics())
})

t.test('a counter may show a larger unit than it counts', async () => {
  const registry = new Registry()
  const counter = new FastCounter({ name: 'cost_dollars_total', help, registry, unitsPerShown: 1e9 })
  counter.series().add(1_500_000_001)
  assert.equal((await counter.get()).values[0]!.value, 1.500000001)
})

t.test('the same label values give the same series, and another number of labels is refused', (t) => {
  const { ours } = twins()
  assert.equal(ours.counter.series('a', 'b'), ours.counter.series('a', 'b'))
  assert.notEqual(ours.counter.series('a', 'b'), ours.counter.series('b', 'a'))
  assert.throws(() => ours.counter.series('a'), /2 labels/)
  t.end()
})

t.test('removed series are not shown, and the others stay', async () => {
  const { ours } = twins()
  for (const first of ['a', 'b']) for (const second of ['c', 'd']) ours.counter.series(first, second).add(1)
  const readLabels = async () => (await ours.counter.get()).values.map(({ labels }) => Object.values(labels).join(''))
  ours.counter.remove('second', new Set(['d', 'e']))
  assert.deepEqual(await readLabels(), ['ac', 'bc'])
  ours.counter.remove('first', new Set(['a']))
  assert.deepEqual(await readLabels(), ['bc'])
  assert.equal(ours.counter.series('a', 'c').value, 0, 'a removed series begins anew')
})

t.test('a metric keeps a bounded number of series: the rest is counted as "other"', async () => {
  const counter = new FastCounter({ name: 'a_total', help, labelNames, registry: new Registry(), maxSeries: 10 })
  for (let name = 0; name < 1000; name++) counter.series(String(name), 'x').add(1)
  const { values } = await counter.get()
  assert.equal(values.length, 11)
  assert.deepEqual(values.at(-1), { value: 990, labels: { first: 'other', second: 'other' } })
  counter.remove('second', new Set(['x']))
  counter.series('new', 'y').add(1)
  assert.equal((await counter.get()).values.length, 2)
})
