import assert from 'node:assert/strict'
import { test } from 'tap'
import type { Answer } from '../testing/call-control.ts'
import { startControl } from '../testing/start-control.ts'
import { startMinResponseTime } from './auth-context.ts'

test('an answer waits for the minimum time, and not at all when it has passed', async () => {
  const minTime = startMinResponseTime(60)
  // Later than the function's own start: once 60 ms have passed here, they have passed there too.
  const started = performance.now()
  await minTime()
  // Timers count whole milliseconds.
  assert(performance.now() - started >= 58)
  while (performance.now() - started < 60) await new Promise((resolve) => setImmediate(resolve))
  // No timer fires before the next turn of the event loop.
  const nextTurn = new Promise((resolve) => setImmediate(resolve, 'later'))
  assert.equal(await Promise.race([minTime().then(() => 'at once'), nextTurn]), 'at once')
})

test('how long an answer takes does not tell whether an address is known', async (t) => {
  const minMs = 800
  const control = await startControl({ minResponseTimes: { refusedLoginMs: minMs, registerMs: minMs } })
  t.after(() => control.close())
  const { email, password } = await control.signUp()
  const timed = async (path: string, body: Record<string, string>): Promise<{ answer: Answer; ms: number }> => {
    const started = performance.now()
    const answer = await control.call('POST', path, { body })
    return { answer, ms: performance.now() - started }
  }
  const refused = [
    await timed('/api/auth/login', { email, password: 'wrong' }),
    await timed('/api/auth/login', { email: 'nobody@example.com', password: 'wrong' })
  ]
  const registered = [
    await timed('/api/auth/register', { email, password, name: 'Known' }),
    await timed('/api/auth/register', { email: 'new@example.com', password, name: 'New' })
  ]
  for (const { answer, ms } of [...refused, ...registered]) {
    assert([200, 401].includes(answer.status))
    assert(ms >= minMs - 2, `${ms} ms`)
  }
  for (const [known, unknown] of [refused, registered] as const)
    assert.deepEqual(known!.answer.body, unknown!.answer.body)
})
