import assert from 'node:assert/strict'
import { test } from 'tap'
import {
  compare,
  comparisonRow,
  helperRows,
  quietRounds,
  type Rounds,
  saturationNote,
  type WindowFigures,
  windowFigures
} from './comparison.ts'

test('figures of a window are per answer, per event and per core', async () => {
  const figures = windowFigures({
    seconds: 2,
    answers: 20_000,
    events: 40_000,
    redis: { calls: { evalsha: 30_000, hget: 50_000 }, reads: 5_000, bytesIn: 6e6, bytesOut: 4e6 },
    writes: 50_000,
    cpuNanos: { measured: 1_900_000_000, upstream: 400_000_000, load: 500_000_000, redis: 160_000_000 },
    machineSeconds: { busy: 3.16, stolen: 0.02 }
  })
  assert.equal(figures.answersPerSecond, 10_000)
  assert.equal(figures.eventsPerSecond, 20_000)
  assert.equal(figures.cpuMicrosPerAnswer, 95)
  assert.equal(figures.cpuMicrosPerEvent, 47.5)
  assert.deepEqual(figures.helperMicrosPerAnswer, { redis: 8 })
  assert.deepEqual(figures.redisPerAnswer, {
    calls: { evalsha: 1.5, hget: 2.5 },
    reads: 0.25,
    bytesIn: 300,
    bytesOut: 200
  })
  assert.equal(figures.writesPerAnswer, 2.5)
  assert.equal(figures.measuredShare, 0.95)
  assert.equal(figures.loadShare, 0.53)
  assert.ok(Math.abs(figures.otherShare - 0.1) < 1e-9)
  assert.equal(figures.stolenShare, 0.01)
})

function figures(changes: Partial<WindowFigures>): WindowFigures {
  return {
    answersPerSecond: 1000,
    eventsPerSecond: 0,
    cpuMicrosPerAnswer: 100,
    cpuMicrosPerEvent: Number.POSITIVE_INFINITY,
    helperMicrosPerAnswer: {},
    redisPerAnswer: null,
    writesPerAnswer: 2,
    measuredShare: 1,
    loadShare: 0.5,
    otherShare: 0.02,
    stolenShare: 0,
    ...changes
  }
}

function rounds(...targets: Array<Partial<WindowFigures>>): Rounds {
  return { bare: targets.map(() => figures({})), target: targets.map(figures) }
}

const cpu = ({ cpuMicrosPerAnswer }: WindowFigures) => cpuMicrosPerAnswer

test('a ratio is taken within each round', async () => {
  const slowing: Rounds = {
    bare: [100, 200, 400].map((cpuMicrosPerAnswer) => figures({ cpuMicrosPerAnswer })),
    target: [75, 150, 300].map((cpuMicrosPerAnswer) => figures({ cpuMicrosPerAnswer }))
  }
  const comparison = compare(slowing, cpu)
  assert.deepEqual(comparison, {
    bare: 200,
    target: 150,
    ratio: { median: 0.75, lowerQuartile: 0.75, upperQuartile: 0.75 }
  })
  assert.deepEqual(comparisonRow('CPU', comparison, 1), ['CPU', '200.0', '150.0', '0.75 (0.75–0.75)'])
})

test('a round that other programs disturbed is left out on both sides, whatever its figures are', async () => {
  const { used, notes } = quietRounds(
    rounds({}, { otherShare: 0.5, cpuMicrosPerAnswer: 10 }, {}, { stolenShare: 0.2, cpuMicrosPerAnswer: 900 }, {})
  )
  assert.equal(used.bare.length, 3)
  assert.deepEqual(used.target.map(cpu), [100, 100, 100])
  assert.deepEqual(notes, ['Other programs on the machine disturbed 2 of 5 rounds, which are left out.'])
})

test('with fewer than three quiet rounds, all rounds count', async () => {
  const busy = rounds({}, {}, { otherShare: 1 }, { otherShare: 1 }, { otherShare: 1 })
  const { used, notes } = quietRounds(busy)
  assert.equal(used, busy)
  assert.match(notes[0]!, /disturbed 3 of 5 rounds; all are counted/)
})

test('an undisturbed run has no notes', async () => {
  assert.deepEqual(quietRounds(rounds({}, {})).notes, [])
})

test('the note names a proxy that was not saturated', async () => {
  assert.match(saturationNote(rounds({})), /limit on both sides/)
  assert.match(saturationNote(rounds({ measuredShare: 0.7 })), /Not saturated: target\./)
})

test('each helper has its own row', async () => {
  assert.deepEqual(helperRows(rounds({ helperMicrosPerAnswer: { 'redis-server': 7.96 } })), [
    ['CPU of redis-server per request, µs', '', '8.0', '']
  ])
  assert.deepEqual(helperRows(rounds({})), [])
})
