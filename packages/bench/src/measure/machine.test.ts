import assert from 'node:assert/strict'
import { test } from 'tap'
import {
  chooseCores,
  cpuBetween,
  parseCpuList,
  parseMachineTicks,
  parseResident,
  parseSchedstat,
  parseStat,
  readCpu,
  readCpuNanos,
  readResidentBytes
} from './machine.ts'

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

test('the CPU time of a process equals what the process itself reports', async () => {
  const before = { proc: readCpu(process.pid), own: process.cpuUsage() }
  const until = performance.now() + 100
  let work = 0
  while (performance.now() < until) work += Math.sqrt(work + 1)
  const own = process.cpuUsage(before.own)
  const micros = cpuBetween(before.proc, readCpu(process.pid)) / 1000
  assert.ok(work > 0)
  assert.ok(micros > 0)
  // The kernel updates the figure of a running thread only at each tick (at most 10 ms). One thread is running.
  assert.ok(Math.abs(micros - (own.user + own.system)) < 25_000, `${micros} µs, but ${own.user + own.system} µs`)
})

test('resident memory is counted in bytes', async () => {
  const before = readResidentBytes(process.pid)
  const block = Buffer.alloc(64 * 1024 * 1024, 1)
  const grown = readResidentBytes(process.pid) - before
  assert.ok(grown > 0.9 * block.length && grown < 1.5 * block.length, `${grown} bytes`)
})

test('the time of a thread that ended is not lost', async () => {
  const threads = (...nanos: number[]) => new Map(nanos.map((used, number) => [String(number), used]))
  const before = { total: 10e6, threads: threads(5e6, 4e6) }
  assert.equal(cpuBetween(before, { total: 20e6, threads: threads(6e6, 4e6, 2e6) }), 3e6, 'exact while all run')
  assert.equal(cpuBetween(before, { total: 20e6, threads: threads(6e6) }), 10e6)
})

test("the kernel's files are parsed as documented", async () => {
  assert.equal(parseSchedstat('404353 82635 2\n'), 404_353)
  assert.equal(
    parseResident('555-7ff ---p 00000000 00:00 0 [rollup]\nRss:                1608 kB\nPss: 389 kB\n'),
    1_646_592
  )
  assert.equal(parseStat('9 (a name) S 1 9 9 0 -1 4194560 88 0 0 0 250 50 1 2 20 0 11 0 77 0'), 3e9)
  assert.deepEqual(parseMachineTicks('cpu  6918 1 5302 195937 603 2 81 118 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n'), {
    busy: 6918 + 1 + 5302 + 2 + 81,
    stolen: 118
  })
})

test('an unknown format is an error, never a zero', async () => {
  assert.throws(() => parseSchedstat(''), /schedstat/)
  assert.throws(() => parseStat('9 (name) S 1'), /stat/)
  assert.throws(() => parseResident('Pss: 1 kB'), /smaps_rollup/)
  assert.throws(() => parseMachineTicks('intr 1 2 3'), /\/proc\/stat/)
  assert.throws(() => readCpuNanos(2 ** 22 + 1), /ENOENT/)
})
