import assert from 'node:assert/strict'
import { test } from 'tap'
import { createSteps } from './system.ts'

test('a slow step is announced while it runs, and its time is shown when it ends; a fast one is silent', async () => {
  const lines: string[] = []
  const announced = Promise.withResolvers<void>()
  const onStep = (text: string) => {
    lines.push(text)
    announced.resolve()
  }
  await createSteps(onStep)('Starting Redis', async () => {})
  assert.deepEqual(lines, [])
  await createSteps(onStep, 1)('Building the dashboard', () => announced.promise)
  assert.equal(lines[0], 'Building the dashboard …')
  assert.match(lines[1] ?? '', /^Building the dashboard: done in \d+\.\d s\.$/)
})
