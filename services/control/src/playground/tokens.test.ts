import assert from 'node:assert/strict'
import { judgeKey } from '@tollgate/contracts/keys/judge-key.ts'
import { digestSecret, scopeOfSecret } from '@tollgate/contracts/keys/secret.ts'
import { readAccountRecord, readKeyRecord, readPointer } from '@tollgate/contracts/records/records.ts'
import { accountName, pointerName } from '@tollgate/state/keyspace/names.ts'
import { eq, sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import { formerSecrets, keys } from '../database/schema/keys.ts'
import { teamOf } from '../team/testing/team-of.ts'
import { codeOf } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'

const minuteMs = 60_000

interface Token {
  id: string
  value: string
  expires_at: string
  expires_in: number
}

onDatabase('tokens of the playground', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call, redis } = control
  const { orm } = control.database

  async function ask(cookie: string): Promise<Token> {
    const answer = await call('POST', '/api/playground/token', { cookie })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return (answer.body as { token: Token }).token
  }

  /** What a gateway decides about a token. */
  async function judge({ value }: Token, now = Date.now()): Promise<string> {
    const digest = digestSecret(value)
    // No shard is verified in this test, so the pointer is read as it is stored.
    const stored = await redis.client.get(pointerName(digest))
    // A token that two others replaced before gateways were told of it never gets a pointer.
    if (stored === null) return 'invalid_api_key'
    const pointer = readPointer(stored)
    assert.equal(pointer.scope, 'inference')
    const [key, account] = await redis.client.hmget(accountName(pointer.account), `r:${pointer.key}`, 'r')
    const verdict = judgeKey({ key: readKeyRecord(key!), account: readAccountRecord(account!) }, digest, null)
    if (!verdict.allowed) return verdict.code
    return verdict.endsAt !== null && verdict.endsAt <= now ? verdict.endedCode : 'allowed'
  }

  await t.test('a session gets a token that gateways accept for 15 minutes', async () => {
    const { cookie } = await control.signUp()
    const token = await ask(cookie)
    assert.equal(scopeOfSecret(token.value), 'inference')
    assert.match(token.id, /^play_[0-9A-Za-z]{24}$/)
    assert.equal(token.expires_in, 900)
    const expiresAt = Date.parse(token.expires_at)
    assert.ok(Math.abs(expiresAt - Date.now() - 15 * minuteMs) < minuteMs)
    assert.equal(await judge(token), 'allowed')
    assert.equal(await judge(token, expiresAt), 'expired_api_key')
    assert.ok(!control.logged.join('\n').includes(token.value.slice(11)))
  })

  await t.test('without a session there is none, not even with a management key', async () => {
    const { cookie } = await control.signUp({ plan: 'enterprise' })
    const body = { label: 'server', scope: 'management' }
    const { key } = (await call('POST', '/api/keys', { cookie, body })).body as { key: { value: string } }
    for (const headers of [{}, { authorization: `Bearer ${key.value}` }] as Array<Record<string, string>>) {
      const answer = await call('POST', '/api/playground/token', { headers })
      assert.deepEqual([answer.status, codeOf(answer)], [401, 'not_authenticated'])
    }
  })

  await t.test(
    'it is no key: not in the quota, not in a list, not for the endpoints of keys, and tells nobody',
    async () => {
      const { id: account, cookie } = await control.signUp()
      const { id } = await ask(cookie)
      // The free plan allows one key.
      assert.equal((await call('POST', '/api/keys', { cookie, body: { label: 'first' } })).status, 201)
      await ask(cookie)
      const listed = await call('GET', '/api/keys?include_revoked=true', { cookie })
      assert.deepEqual(
        (listed.body as { keys: Array<{ label: string }> }).keys.map(({ label }) => label),
        ['first']
      )
      for (const [method, path] of [
        ['GET', ''],
        ['PATCH', ''],
        ['DELETE', ''],
        ['POST', '/rotate']
      ] as const) {
        const answer = await call(method, `/api/keys/${id}${path}`, { cookie, ...(method === 'PATCH' && { body: {} }) })
        assert.equal(codeOf(answer), 'not_found', method)
      }
      const operator = await control.signUpOperator()
      const asOperator = async (path: string) => (await call('GET', path, { cookie: operator.cookie })).body
      const answer = (await asOperator(`/api/admin/accounts/${account}`)) as { account: { key_list: unknown[] } }
      assert.equal(answer.account.key_list.length, 1)
      const list = (await asOperator(`/api/admin/accounts?q=${account}`)) as { accounts: Array<{ keys: number }> }
      assert.deepEqual(
        list.accounts.map(({ keys }) => keys),
        [1]
      )
      const told = await queryRows<{ label: string }>(
        orm,
        sql`select data->'key'->>'label' as label from events where account_id = ${account}`
      )
      assert.deepEqual(told, [{ label: 'first' }])
    }
  )

  await t.test('asking again gives another one under the same id; the one before works until its own end', async () => {
    const { cookie } = await control.signUp()
    const [first, second] = [await ask(cookie), await ask(cookie)]
    assert.equal(first.id, second.id)
    assert.notEqual(first.value, second.value)
    assert.deepEqual([await judge(first), await judge(second)], ['allowed', 'allowed'])
    assert.equal(await judge(first, Date.parse(first.expires_at)), 'revoked_api_key')
    const third = await ask(cookie)
    assert.deepEqual(
      [await judge(first), await judge(second), await judge(third)],
      ['revoked_api_key', 'allowed', 'allowed']
    )
  })

  await t.test('many requests at once leave one id with at most two living tokens', async () => {
    const { id: account, cookie } = await control.signUp()
    const tokens = await Promise.all(Array.from({ length: 8 }, () => ask(cookie)))
    assert.equal(new Set(tokens.map(({ id }) => id)).size, 1)
    const verdicts = await Promise.all(tokens.map((token) => judge(token)))
    assert.equal(verdicts.filter((verdict) => verdict === 'allowed').length, 2)
    assert.equal(await orm.$count(keys, eq(keys.accountId, account)), 1)
    assert.equal(await orm.$count(formerSecrets, eq(formerSecrets.accountId, account)), 7)
  })

  await t.test('a token of another session of the same person stops at once', async () => {
    const user = await control.signUp()
    const first = await ask(user.cookie)
    const second = await ask(await control.signIn(user))
    assert.equal(first.id, second.id)
    assert.deepEqual([await judge(first), await judge(second)], ['revoked_api_key', 'allowed'])
  })

  for (const [how, end] of [
    ['signs out', (cookie: string) => call('POST', '/api/auth/signout', { cookie })],
    [
      'signs out everywhere',
      (cookie: string) => call('POST', '/api/auth/signout', { cookie, body: { everywhere: true } })
    ],
    [
      'changes the password',
      (cookie: string) =>
        call('POST', '/api/auth/change-password', {
          cookie,
          body: { current_password: 'correct horse battery', password: 'another horse battery' }
        })
    ]
  ] as const) {
    await t.test(`it dies when its person ${how}, and other people’s stay`, async () => {
      const [user, other] = [await control.signUp(), await control.signUp()]
      const [first, second, others] = [await ask(user.cookie), await ask(user.cookie), await ask(other.cookie)]
      await control.tokenEnder.runOnce()
      assert.deepEqual([await judge(first), await judge(second)], ['allowed', 'allowed'])
      assert.equal((await end(user.cookie)).status, 200)
      await control.tokenEnder.runOnce()
      assert.deepEqual([await judge(first), await judge(second)], ['revoked_api_key', 'expired_api_key'])
      assert.equal(await judge(others), 'allowed')
    })
  }

  await t.test('after the next sign-in, it has its id again, and old tokens stay dead', async () => {
    const user = await control.signUp()
    const first = await ask(user.cookie)
    await call('POST', '/api/auth/signout', { cookie: user.cookie })
    await control.tokenEnder.runOnce()
    const second = await ask(await control.signIn(user))
    assert.equal(second.id, first.id)
    await control.tokenEnder.runOnce()
    assert.deepEqual([await judge(first), await judge(second)], ['revoked_api_key', 'allowed'])
  })

  await t.test('a seat’s token is of the team, and dies with the seat', async () => {
    const { joined, remove } = teamOf(control)
    const [owner, ada] = [await control.signUp({ plan: 'team' }), await control.signUp()]
    const own = await ask(ada.cookie)
    await joined(owner, ada)
    await control.tokenEnder.runOnce()
    assert.equal(await judge(own), 'account_suspended')
    const [ofAda, ofOwner] = [await ask(ada.cookie), await ask(owner.cookie)]
    assert.equal(readPointer((await redis.client.get(pointerName(digestSecret(ofAda.value))))!).account, owner.id)
    assert.notEqual(ofAda.id, ofOwner.id)
    assert.equal((await remove(owner, ada.id)).status, 200)
    await control.tokenEnder.runOnce()
    assert.deepEqual([await judge(ofAda), await judge(ofOwner)], ['expired_api_key', 'allowed'])
  })

  await t.test('it dies with the account', async () => {
    const { cookie } = await control.signUp()
    const token = await ask(cookie)
    assert.equal((await call('DELETE', '/api/auth/me', { cookie })).status, 200)
    await control.tokenEnder.runOnce()
    assert.notEqual(await judge(token), 'allowed')
  })
})
