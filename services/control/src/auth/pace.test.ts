import assert from 'node:assert/strict'
import { test } from 'tap'
import { type Answer, startControl } from '../testing/start-control.ts'
import { startFloor } from './pace.ts'

test('a floor is reached its time after the start, and at once when that has passed', async () => {
  const floor = startFloor(60)
  // Not before the floor's own start: from then on its time has passed when this one's has.
  const started = performance.now()
  await floor()
  // Timers count whole milliseconds.
  assert(performance.now() - started >= 58)
  while (performance.now() - started < 60) await new Promise((resolve) => setImmediate(resolve))
  // No timer can fire before the loop's next turn.
  const nextTurn = new Promise((resolve) => setImmediate(resolve, 'later'))
  assert.equal(await Promise.race([floor().then(() => 'at once'), nextTurn]), 'at once')
})

test('how long an answer takes does not tell whether an address is known', async (t) => {
  const floorMs = 800
  const control = await startControl({ floors: { refusedLoginMs: floorMs, registerMs: floorMs } })
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
    assert(ms >= floorMs - 2, `${ms} ms`)
  }
  for (const [known, unknown] of [refused, registered] as const)
    assert.deepEqual(known!.answer.body, unknown!.answer.body)
})
