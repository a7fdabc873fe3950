import assert from 'node:assert/strict'
import { appendFileSync, closeSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { createLogFile } from './program.ts'

const pathOf = (t: Test) => join(t.testdir(), 'x.log')

test('the log of the previous start is kept, but no older one', async (t) => {
  const path = pathOf(t)
  for (const text of ['one', 'two', 'three']) {
    createLogFile(path)
    appendFileSync(path, text)
  }
  assert.equal(readFileSync(path, 'utf8'), 'three')
  assert.equal(readFileSync(`${path}.previous`, 'utf8'), 'two')
})

test('the tail is the last twenty lines since the last start', async (t) => {
  const log = createLogFile(pathOf(t))
  assert.equal(log.tail(), '')
  const write = (text: string) => {
    const descriptor = log.openForProgram()
    writeSync(descriptor, text)
    closeSync(descriptor)
  }
  write('of the first program\n')
  write('of the second program\n')
  assert.equal(log.tail(), 'of the second program')
  write(Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`).join(''))
  const lines = log.tail().split('\n')
  assert.equal(lines.length, 20)
  assert.equal(lines[0], 'line 81')
  assert.equal(lines[19], 'line 100')
})

test('each complete new line is reported once and in order', async (t) => {
  const path = pathOf(t)
  const log = createLogFile(path)
  appendFileSync(path, 'before\n')
  const lines: string[] = []
  const { promise: three, resolve } = Promise.withResolvers<void>()
  const stop = log.follow((line) => {
    lines.push(line)
    if (lines.length === 3) resolve()
  })
  const euro = Buffer.from('€')
  appendFileSync(path, 'one\ntw')
  appendFileSync(path, 'o ')
  appendFileSync(path, euro.subarray(0, 1))
  appendFileSync(path, Buffer.concat([euro.subarray(1), Buffer.from('\nthree\n')]))
  await three
  appendFileSync(path, 'four\n')
  stop()
  appendFileSync(path, 'five\n')
  assert.deepEqual(lines, ['one', 'two €', 'three', 'four'])
})
