import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { AdminProjectionResponse } from '@tollgate/contracts/http/admin/projection.ts'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import { test } from 'tap'
import { startControl } from '../testing/start-control.ts'

test('the projection', async (t) => {
  const control = await startControl({ isProjecting: true })
  t.after(() => control.close())
  const operator = await control.signUpOperator()
  const { cookie } = operator
  const read = async () => {
    const answer = await control.call('GET', '/api/admin/projection', { cookie })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return (answer.body as AdminProjectionResponse).projection
  }
  const untilCurrent = async () => {
    for (;;) {
      const state = await read()
      if (state.is_current) return state
      await delay(50)
    }
  }
  const rebuild = () =>
    control.call('POST', '/api/admin/projection/rebuild', {
      cookie,
      body: { reason: 'somebody edited Redis' }
    })

  await t.test('it is current once Redis has every change', async () => {
    const state = await untilCurrent()
    assert.equal(state.shards.current, state.shards.total)
    assert.equal(state.catalog.is_current, true)
  })

  await t.test('a rebuild brings back what Redis lacks, and is in the operators’ log', async () => {
    const before = (await untilCurrent()).epoch
    // As an accident in redis-cli would.
    await control.redis.client.del(accountName(operator.id))
    const answer = await rebuild()
    assert.deepEqual([answer.status, answer.body], [200, { epoch: before + 1 }])
    const after = await untilCurrent()
    assert.equal(after.epoch, before + 1)
    assert.equal(await control.redis.client.exists(accountName(operator.id)), 1)
    const log = await control.call('GET', '/api/admin/audit', { cookie })
    const [entry] = (log.body as { entries: Array<Record<string, unknown>> }).entries
    assert.deepEqual(
      [entry?.action, entry?.reason, entry?.detail, entry?.account_id],
      ['projection.rebuilt', 'somebody edited Redis', { epoch: before + 1 }, null]
    )
    assert.ok(control.logged.some((line) => line.includes('an operator started to rebuild the projection in Redis')))
  })
})
