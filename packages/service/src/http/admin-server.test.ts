import assert from 'node:assert/strict'
import { Registry } from 'prom-client'
import t from 'tap'
import { createAdminServer } from './admin-server.ts'

const ready = () => ({ isReady: true, details: {} })

t.test(
  'scrapes at the same time share a reading of the metrics, and none gets values from before its call',
  async () => {
    let [reads, value] = [0, 0]
    const finish: Array<() => void> = []
    const admin = createAdminServer({
      registry: {
        contentType: Registry.PROMETHEUS_CONTENT_TYPE,
        async metrics() {
          reads++
          const text = String(value)
          await new Promise<void>((resolve) => finish.push(resolve))
          return text
        }
      },
      readiness: ready
    })
    const scrape = async (): Promise<string> => (await admin.inject('/metrics')).body
    const first = scrape()
    while (reads < 1) await new Promise(setImmediate)
    value = 1
    const others = Array.from({ length: 100 }, scrape)
    await new Promise(setImmediate)
    finish.shift()!()
    assert.equal(await first, '0')
    while (reads < 2) await new Promise(setImmediate)
    finish.shift()!()
    assert.deepEqual([...new Set(await Promise.all(others))], ['1'])
    assert.equal(reads, 2)
  }
)

t.test('a reading that fails breaks only its own scrapes', async () => {
  let fails = true
  const admin = createAdminServer({
    registry: {
      contentType: Registry.PROMETHEUS_CONTENT_TYPE,
      async metrics() {
        if (fails) throw new Error('broken')
        return 'fine'
      }
    },
    readiness: ready
  })
  assert.equal((await admin.inject('/metrics')).statusCode, 500)
  fails = false
  const answer = await admin.inject('/metrics')
  assert.deepEqual([answer.statusCode, answer.body], [200, 'fine'])
  assert.equal((await admin.inject('/livez')).statusCode, 200)
})
