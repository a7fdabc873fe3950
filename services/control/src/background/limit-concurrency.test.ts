import assert from 'node:assert/strict'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { test } from 'tap'
import { concurrencyLimitFor, createConcurrencyLimit } from './limit-concurrency.ts'

const never = new AbortController().signal
const refusal = 'payments_unavailable'

/** Work that runs until the test ends it. */
function openWork() {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let isRunning = false
  return {
    work: () => {
      isRunning = true
      return promise
    },
    end: resolve,
    fail: reject,
    isRunning: () => isRunning
  }
}
const tick = () => new Promise((resolve) => setImmediate(resolve))

test('work up to the limit runs at once, and the rest in order of arrival', async () => {
  const concurrency = createConcurrencyLimit(2, { refusal })
  const works = [openWork(), openWork(), openWork(), openWork()]
  const runs = works.map(({ work }) => concurrency(work, never))
  await tick()
  const running = () => works.map(({ isRunning }) => isRunning())
  assert.deepEqual(running(), [true, true, false, false])
  works[1]!.end()
  await tick()
  assert.deepEqual(running(), [true, true, true, false])
  works[0]!.fail(new Error('no'))
  await assert.rejects(runs[0]!, /no/)
  await tick()
  assert.deepEqual(running(), [true, true, true, true])
  for (const { end } of works) end()
  await Promise.all(runs.slice(1))
})

test('a caller that waits too long gets an error and blocks nobody', async () => {
  const concurrency = createConcurrencyLimit(1, { refusal })
  const [first, second, third] = [openWork(), openWork(), openWork()]
  const deadline = new AbortController()
  const running = concurrency(first.work, never)
  const givenUp = concurrency(second.work, deadline.signal)
  const last = concurrency(third.work, never)
  deadline.abort()
  await assert.rejects(givenUp, (error) => error instanceof ServiceError && error.code === 'payments_unavailable')
  await assert.rejects(concurrency(second.work, deadline.signal), ServiceError)
  first.end()
  await running
  await tick()
  assert.ok(third.isRunning() && !second.isRunning())
  third.end()
  await last
  assert.equal(await concurrency(async () => 'free again', never), 'free again')
})

test('work is refused at once if too much waits', async () => {
  const concurrency = createConcurrencyLimit(1, { refusal, maxWaiting: 1 })
  const [first, second] = [openWork(), openWork()]
  const runs = [concurrency(first.work, never), concurrency(second.work, never)]
  await assert.rejects(
    concurrency(async () => undefined, never),
    { code: refusal }
  )
  first.end()
  second.end()
  await Promise.all(runs)
  assert.equal(await concurrency(async () => 'free again', never), 'free again')
})

test('most connections stay free, and one caller can always run', async () => {
  for (const [connections, max] of [
    [1, 1],
    [2, 1],
    [10, 3],
    [100, 33]
  ] as const) {
    const concurrency = concurrencyLimitFor({ connections }, refusal)
    const works = Array.from({ length: max + 1 }, openWork)
    const runs = works.map(({ work }) => concurrency(work, never))
    await tick()
    assert.equal(works.filter(({ isRunning }) => isRunning()).length, max, `${connections}`)
    for (const { end } of works) end()
    await Promise.all(runs)
  }
})

test('the work of an owner with the fewest works under way comes next', async () => {
  const concurrency = createConcurrencyLimit(2, { refusal })
  const begun: string[] = []
  const ends: Array<() => void> = []
  const run = (owner: string) =>
    concurrency(
      () => {
        begun.push(owner)
        return new Promise<void>((resolve) => ends.push(resolve))
      },
      never,
      owner
    )
  const runs = ['a', 'a', 'a', 'a', 'b', 'c'].map(run)
  for (let ended = 0; ended < runs.length; ended++) {
    await tick()
    ends[ended]!()
  }
  await Promise.all(runs)
  // When the second work of a ends, a has none under way, and waits longer than c.
  assert.deepEqual(begun, ['a', 'a', 'b', 'a', 'c', 'a'])
})
