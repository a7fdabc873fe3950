import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { test } from 'tap'
import { IntervalChecks } from './interval-checks.ts'

const everyMs = 20

/** Blocks this process. */
const suspend = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

async function untilCheck(act: () => void): Promise<void> {
  await new Promise<void>((resolve) => {
    const checks = new IntervalChecks(everyMs, () => {
      checks.stop()
      clearTimeout(awake)
      resolve()
    })
    // The checks alone do not keep the process alive.
    const awake = setTimeout(() => {}, 60_000)
    checks.start()
    act()
  })
}

test('data that arrives during a suspension is read before the next check, even after three suspensions', async () => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const [[accepted], client] = await Promise.all([
    once(server, 'connection'),
    Promise.resolve(connect((server.address() as AddressInfo).port, '127.0.0.1'))
  ])
  for (const suspensions of [1, 2, 3]) {
    let [read, written] = [0, 0]
    client.on('data', (bytes) => {
      read += bytes.length
    })
    await untilCheck(() => {
      const again = (left: number): void => {
        accepted.write('x')
        written++
        suspend(5 * everyMs)
        if (left > 1) setTimeout(again, 1, left - 1)
      }
      again(suspensions)
    })
    // On a busy machine, the check may come before the last suspension.
    assert.equal(read, written)
    while (read < suspensions) await once(client, 'data')
    client.removeAllListeners('data')
  }
  client.destroy()
  server.close()
})

test('a process that is always late still checks', async () => {
  let isBusy = true
  const busy = (): void => {
    suspend(3 * everyMs)
    if (isBusy) setImmediate(busy)
  }
  await untilCheck(() => setImmediate(busy))
  isBusy = false
})
