import assert from 'node:assert/strict'
import type { AuditResponse } from '@tollgate/contracts/http/audit.ts'
import type { Key } from '@tollgate/contracts/http/keys.ts'
import { readKeyRecord } from '@tollgate/contracts/records/records.ts'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import { noteProcess, removeProcess } from '@tollgate/state/processes/heartbeat.ts'
import { type Answer, codeOf, expectStatus } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'

const list = ['203.0.113.7', '10.0.0.0/8', '2001:db8::/32']
const messageOf = ({ body }: Answer) => (body as { error: { message: string } }).error.message

onDatabase('addresses of keys', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase(), trustProxy: ['127.0.0.1'] })
  t.after(() => control.close())
  const { call, redis } = control
  type Created = { id: string; value: string }
  const create = async (cookie: string, body: object): Promise<Created> => {
    const answer = await expectStatus(call('POST', '/api/keys', { cookie, body: { label: 'app', ...body } }), 201)
    return (answer.body as { key: Created }).key
  }
  const change = (cookie: string, id: string, body: object) => call('PATCH', `/api/keys/${id}`, { cookie, body })
  const keyOf = ({ body }: Answer) => (body as { key: Key }).key

  await t.test('a list is set, changed and removed, and gateways get it only while there is one', async () => {
    const { cookie, id: account } = await control.signUp()
    const recorded = async (id: string) => {
      const record = readKeyRecord((await redis.client.hget(accountName(account), `r:${id}`))!)
      return 'addresses' in record ? record.addresses : 'none'
    }
    const { id } = await create(cookie, { addresses: list })
    assert.deepEqual(await recorded(id), list)
    assert.deepEqual(keyOf(await expectStatus(call('GET', `/api/keys/${id}`, { cookie }), 200)).addresses, list)
    const changed = await expectStatus(change(cookie, id, { addresses: ['::1'] }), 200)
    assert.deepEqual([keyOf(changed).addresses, await recorded(id)], [['::1'], ['::1']])
    await expectStatus(change(cookie, id, { label: 'renamed' }), 200)
    assert.deepEqual(await recorded(id), ['::1'])
    const removed = await expectStatus(change(cookie, id, { addresses: null }), 200)
    assert.deepEqual([keyOf(removed).addresses, await recorded(id)], [null, 'none'])
    const { entries } = (await call('GET', '/api/audit', { cookie })).body as AuditResponse
    const details = entries.filter(({ action }) => action === 'key.updated').map(({ detail }) => detail)
    assert.deepEqual(
      details.map(({ addresses, addresses_before: before }) => [before, addresses]),
      [
        ['::1', null],
        [undefined, undefined],
        [list.join(', '), '::1']
      ]
    )
  })

  await t.test('a list with an entry that is not valid, without entries or with too many is refused', async () => {
    const { cookie } = await control.signUp()
    const { id } = await create(cookie, {})
    const wrong = await change(cookie, id, { addresses: [...list, '10.0.0.256'] })
    assert.deepEqual([wrong.status, codeOf(wrong)], [400, 'invalid_request'])
    assert.match(messageOf(wrong), /^addresses: 10\.0\.0\.256 is not an IP address or a range/)
    const tooMany = Array.from({ length: 51 }, (_, n) => `10.0.0.${n}`)
    for (const addresses of [[], tooMany, ['::1', '::1'], '::1', [1]]) {
      const answer = await change(cookie, id, { addresses })
      assert.deepEqual([answer.status, codeOf(answer)], [400, 'invalid_request'])
      assert.match(messageOf(answer), /^addresses/)
    }
    await expectStatus(change(cookie, id, { addresses: tooMany.slice(1) }), 200)
  })

  await t.test('a list cannot be set while a gateway runs that would not check it', async () => {
    const { cookie } = await control.signUp()
    const gateway = { kind: 'gateway' as const, host: 'h', version: '1', startedAt: 1, errors: {} }
    const { id } = await create(cookie, { addresses: list })
    await noteProcess(redis, { ...gateway, id: 'new', checksAddresses: true })
    await expectStatus(change(cookie, id, { addresses: ['::1'] }), 200)
    await noteProcess(redis, { ...gateway, id: 'old' })
    const body = { label: 'app', addresses: list }
    for (const refused of [
      await change(cookie, id, { addresses: list }),
      await call('POST', '/api/keys', { cookie, body })
    ]) {
      assert.deepEqual([refused.status, codeOf(refused)], [400, 'invalid_request'])
      assert.match(messageOf(refused), /^addresses: .* older release .* update all gateways/)
    }
    await expectStatus(change(cookie, id, { addresses: ['::1'], label: 'as it is' }), 200)
    await expectStatus(change(cookie, id, { addresses: null }), 200)
    await removeProcess(redis, 'old')
    await expectStatus(change(cookie, id, { addresses: list }), 200)
  })

  await t.test('a management key works only from its addresses', async () => {
    const { cookie } = await control.signUp({ plan: 'enterprise' })
    const { id, value } = await create(cookie, { scope: 'management', addresses: ['203.0.113.0/24'] })
    const from = (address: string) => ({ authorization: `Bearer ${value}`, 'x-forwarded-for': address })
    await expectStatus(call('GET', '/api/keys', { headers: from('203.0.113.7') }), 200)
    await expectStatus(call('GET', '/api/keys', { headers: from('::ffff:203.0.113.7') }), 200)
    for (const [method, path] of [
      ['GET', '/api/keys'],
      ['POST', '/api/keys'],
      ['GET', '/api/usage']
    ] as const) {
      const refused = await call(method, path, { headers: from('203.0.113.7, 198.51.100.1') })
      assert.deepEqual([refused.status, codeOf(refused)], [403, 'ip_address_not_allowed'], `${method} ${path}`)
    }
    await expectStatus(change(cookie, id, { addresses: null }), 200)
    await expectStatus(call('GET', '/api/keys', { headers: from('198.51.100.1') }), 200)
  })
})
