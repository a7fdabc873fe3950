import assert from 'node:assert/strict'
import { test } from 'tap'
import { type BackgroundLoopOptions, createBackgroundLoop } from './background-loop.ts'

const hourMs = 3_600_000

/** A loop whose rounds the test ends one by one. */
function createManualLoop(options: Partial<BackgroundLoopOptions> = {}) {
  const said: string[] = []
  const started: Array<(outcome: unknown) => void> = []
  let announce = (): void => undefined
  const loop = createBackgroundLoop({
    round: async () => {
      const { promise, resolve } = Promise.withResolvers<unknown>()
      started.push(resolve)
      announce()
      const outcome = await promise
      if (outcome instanceof Error) throw outcome
      return outcome
    },
    intervalMs: hourMs,
    log: { info: (message) => void said.push(message), warn: (_values, message) => void said.push(message) },
    messages: { failing: 'failing', recovered: 'recovered' },
    ...options
  })
  async function untilRound(count: number): Promise<void> {
    while (started.length < count) {
      await new Promise<void>((resolve) => {
        announce = resolve
      })
    }
  }
  return { loop, said, started, untilRound, end: (outcome?: unknown) => started.at(-1)!(outcome) }
}

test('a call of wake during a round starts another round right after it', async (t) => {
  const { loop, untilRound, end } = createManualLoop()
  t.after(async () => {
    end()
    await loop.stop()
  })
  loop.start()
  await untilRound(1)
  loop.wake()
  end()
  await untilRound(2)
})

test('a call of wake ends the pause between rounds', async (t) => {
  const { loop, started, untilRound, end } = createManualLoop()
  t.after(async () => {
    end()
    await loop.stop()
  })
  loop.start()
  await untilRound(1)
  end()
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(started.length, 1)
  loop.wake()
  await untilRound(2)
})

test('a round can ask for the next one at once', async (t) => {
  const { loop, untilRound, end } = createManualLoop()
  t.after(async () => {
    end()
    await loop.stop()
  })
  loop.start()
  await untilRound(1)
  end('again')
  await untilRound(2)
})

test('an outage is reported once, and so is its end', async (t) => {
  const { loop, said, untilRound, end } = createManualLoop({ intervalMs: 1 })
  t.after(async () => {
    end()
    await loop.stop()
  })
  loop.start()
  for (const [index, outcome] of [new Error('one'), new Error('two'), undefined, undefined].entries()) {
    await untilRound(index + 1)
    end(outcome)
  }
  await untilRound(5)
  assert.deepEqual(said, ['failing', 'recovered'])
})

test('the progress counts failed rounds, and has the time of the last success', async (t) => {
  const { loop, untilRound, end } = createManualLoop({ intervalMs: 1 })
  t.after(async () => {
    end()
    await loop.stop()
  })
  assert.deepEqual(loop.progress, { failures: 0, lastSuccessAt: null })
  loop.start()
  const before = Date.now()
  for (const [index, outcome] of [new Error('one'), undefined, new Error('two')].entries()) {
    await untilRound(index + 1)
    end(outcome)
  }
  await untilRound(4)
  assert.equal(loop.progress.failures, 2)
  assert.ok(loop.progress.lastSuccessAt! >= before)
})

test('stop ends a pause, waits for the round under way and starts no other', async () => {
  const { loop, started, said, untilRound, end } = createManualLoop()
  loop.start()
  await untilRound(1)
  const stopped = loop.stop()
  assert.equal(loop.signal.aborted, true)
  end(new Error('interrupted'))
  await stopped
  assert.deepEqual([started.length, said], [1, []])
  const sleeping = createManualLoop({ isFirstDelayed: true })
  sleeping.loop.start()
  await sleeping.loop.stop()
  assert.equal(sleeping.started.length, 0)
})

test('rounds wait until the resource is ready', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isReady = false
  const { loop, started, untilRound, end } = createManualLoop({
    readiness: { isReady: () => isReady, ready: () => promise }
  })
  t.after(async () => {
    end()
    await loop.stop()
  })
  loop.start()
  loop.wake()
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(started.length, 0)
  isReady = true
  resolve()
  await untilRound(1)
})
