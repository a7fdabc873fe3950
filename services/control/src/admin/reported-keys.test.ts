import assert from 'node:assert/strict'
import { digestSecret, displayPrefix } from '@tollgate/contracts/keys/secret.ts'
import { latestMail } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { test } from 'tap'
import { askAsGateway, untilAnswered } from '../projection/testing/ask-as-gateway.ts'
import { codeOf } from '../testing/call-control.ts'
import type { RunningControl, TestUser } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'

type Entry = { action: string; subject: string; actor_id: string; detail: Record<string, unknown> }
const reason = 'Found in a public repository'

function actionsOf(control: RunningControl) {
  const { call } = control
  return {
    async createKey({ cookie }: TestUser, label = 'ci') {
      const { body } = await call('POST', '/api/keys', { cookie, body: { label } })
      const { id, value } = (body as { key: { id: string; value: string } }).key
      return { id, value, prefix: displayPrefix(value) }
    },
    revoke: ({ cookie }: TestUser, body: object) =>
      call('POST', '/api/admin/keys/revoke', { cookie, body: { reason, ...body } }),
    async entries({ cookie }: TestUser, path = '/api/audit'): Promise<Entry[]> {
      const { body } = await call('GET', path, { cookie })
      return (body as { entries: Entry[] }).entries.filter(({ action }) => action === 'key.revoked')
    },
    async mailsTo(email: string) {
      const response = await fetch(`${control.identity.mailboxUrl}/api/v1/search?query=to:${email}+subject:revoked`)
      return ((await response.json()) as { messages_count: number }).messages_count
    }
  }
}

test('a reported key', async (t) => {
  const control = await startControl({ isProjecting: true })
  t.after(() => control.close())
  const { createKey, revoke, entries, mailsTo } = actionsOf(control)
  const operator = await control.signUpOperator()

  await t.test('dies by its pasted secret, and its owner is mailed once', async () => {
    const owner = await control.signUp()
    const key = await createKey(owner, 'the <ci>\r\nBcc: eve@example.com')
    await untilAnswered(control.redis, key.value, 'admitted')
    const newerThan = await latestMail(control.identity.mailboxUrl, owner.email)
    const answer = await revoke(operator, { value: `\n  ${key.value}\t\r\n` })
    const named = { id: key.id, label: 'the <ci>\r\nBcc: eve@example.com', prefix: key.prefix, account_id: owner.id }
    assert.deepEqual([answer.status, answer.body], [200, { key: named, mailed: true }])
    assert.equal(await askAsGateway(control.redis, key.value), 'refused')

    await control.mailSender.runOnce()
    const mail = await latestMail(control.identity.mailboxUrl, owner.email, { newerThan })
    assert.equal(
      mail.Subject,
      'Your API key “the <ci> Bcc eve example. com” was revoked',
      'no mail program makes it a link'
    )
    for (const part of ['the <ci> Bcc', `tg_${key.prefix}…`, reason, 'http://localhost:3000/dashboard/keys']) {
      assert.ok(mail.Text.includes(part), part)
    }
    assert.ok(mail.HTML.includes('href="http://localhost:3000/dashboard/keys"') && !mail.HTML.includes('<ci>'))
    assert.equal(mail.From.Address, 'no-reply@tollgate.test')

    const again = await revoke(operator, { id: key.id })
    assert.deepEqual([again.status, again.body], [200, { key: named, mailed: false }])
    await control.mailSender.runOnce()
    assert.equal(await mailsTo(owner.email), 1)

    const [own, ...others] = await entries(owner)
    assert.deepEqual(others, [])
    assert.partialDeepStrictEqual(own, {
      subject: key.id,
      actor_id: operator.id,
      detail: { note: reason, cut_streams: true }
    })
    const acts = await entries(operator, '/api/admin/audit')
    assert.equal(acts.length, 1)
    assert.partialDeepStrictEqual(acts[0], { subject: key.id, reason, account_id: owner.id })
    for (const text of [...control.logged, JSON.stringify([answer.body, own, acts]), mail.HTML, mail.Text]) {
      assert.ok(!text.includes(key.value))
    }
  })

  await t.test('is shown with its owner and its last use before it is revoked, by any of its names', async () => {
    const owner = await control.signUp()
    const key = await createKey(owner, 'the one')
    const find = (body: object, { cookie } = operator) => control.call('POST', '/api/admin/keys/find', { cookie, body })
    for (const named of [{ id: key.id }, { value: ` ${key.value}\n` }, { hash: digestSecret(key.value) }]) {
      const answer = await find(named)
      assert.partialDeepStrictEqual(answer, {
        status: 200,
        body: {
          key: {
            id: key.id,
            label: 'the one',
            status: 'active',
            last_used_at: null,
            account_id: owner.id,
            owner_email: owner.email
          }
        }
      })
      assert.ok(!JSON.stringify(answer.body).includes(key.value))
    }
    assert.equal(codeOf(await find({ id: 'key_unknown' })), 'not_found')
    assert.equal((await find({ id: key.id }, owner)).status, 404, 'only operators')
    assert.equal((await entries(owner)).length, 0)
  })

  await t.test('dies by its hash, and by a secret that a rotation replaced', async () => {
    const owner = await control.signUp()
    const hashed = await createKey(owner)
    const byHash = await revoke(operator, { hash: digestSecret(hashed.value) })
    assert.partialDeepStrictEqual(byHash, { status: 200, body: { key: { id: hashed.id } } })
    const key = await createKey(owner)
    const path = `/api/keys/${key.id}/rotate`
    const rotated = await control.call('POST', path, { cookie: owner.cookie, body: { grace_seconds: 600 } })
    const { value } = (rotated.body as { key: { value: string } }).key
    const byFormer = await revoke(operator, { value: key.value })
    assert.partialDeepStrictEqual(byFormer, { status: 200, body: { key: { id: key.id } } })
    for (const secret of [hashed.value, key.value, value]) {
      assert.equal(await askAsGateway(control.redis, secret), 'refused')
    }
  })

  await t.test('that its owner revoked before causes no mail and no entry', async () => {
    const owner = await control.signUp()
    const key = await createKey(owner)
    await control.call('DELETE', `/api/keys/${key.id}`, { cookie: owner.cookie })
    assert.partialDeepStrictEqual(await revoke(operator, { id: key.id }), { status: 200, body: { mailed: false } })
    assert.equal((await entries(owner)).length, 1)
    assert.equal((await entries(operator, `/api/admin/audit?account_id=${owner.id}`)).length, 0)
  })

  await t.test('that does not exist is not found, and the answer does not repeat it', async () => {
    const unknown = `tg_${'x'.repeat(49)}`
    for (const named of [{ value: unknown }, { id: unknown }, { hash: digestSecret(unknown) }, { value: ' ' }]) {
      const answer = await revoke(operator, named)
      assert.deepEqual([answer.status, codeOf(answer)], [404, 'not_found'])
      assert.ok(!JSON.stringify(answer.body).includes(unknown))
    }
    for (const bad of [{}, { value: unknown, id: 'key_1' }, { hash: unknown }, { value: unknown, reason: '' }]) {
      const answer = await revoke(operator, bad)
      assert.deepEqual([answer.status, codeOf(answer)], [400, 'invalid_request'])
      assert.ok(!JSON.stringify(answer.body).includes(unknown))
    }
    assert.ok(!control.logged.some((line) => line.includes(unknown)))
  })

  await t.test('stays for everybody but operators', async () => {
    const owner = await control.signUp()
    const key = await createKey(owner)
    assert.equal((await revoke(await control.signUp(), { value: key.value })).status, 404)
    assert.equal((await entries(owner)).length, 0)
  })
})

test('while Redis is away, a reported key is revoked and its owner mailed, and a repeated call says when it is in force', async (t) => {
  const redis = await startRedis({ port: 0 })
  const control = await startControl({ redisUrl: redis.url, redisSilenceTimeoutMs: 300 })
  t.after(() => control.close())
  const { createKey, revoke, mailsTo } = actionsOf(control)
  const operator = await control.signUpOperator()
  const owner = await control.signUp()
  const key = await createKey(owner)
  const newerThan = await latestMail(control.identity.mailboxUrl, owner.email)
  await redis.stop()
  const answer = await revoke(operator, { value: key.value })
  assert.deepEqual([answer.status, codeOf(answer)], [503, 'revocation_pending'])
  await control.mailSender.runOnce()
  await latestMail(control.identity.mailboxUrl, owner.email, { newerThan })
  assert.equal(codeOf(await revoke(operator, { value: key.value })), 'revocation_pending')

  const again = await startRedis({ port: redis.port })
  t.after(() => again.stop())
  await control.redis.ready()
  control.projector.start()
  let inForce = await revoke(operator, { value: key.value })
  while (inForce.status === 503) inForce = await revoke(operator, { value: key.value })
  assert.partialDeepStrictEqual(inForce, { status: 200, body: { mailed: false } })
  const { before } = await untilAnswered(control.redis, key.value, 'refused')
  assert.ok(!before.has('admitted'))
  assert.equal(await mailsTo(owner.email), 1)
})

test('without a mail server, a key is revoked, and answer and log say that nobody was mailed', async (t) => {
  const control = await startControl({ smtpUrl: '' })
  t.after(() => control.close())
  const { createKey, revoke } = actionsOf(control)
  const owner = await control.signUp()
  const key = await createKey(owner)
  const answer = await revoke(await control.signUpOperator(), { id: key.id })
  assert.partialDeepStrictEqual(answer, { status: 200, body: { mailed: false } })
  await control.mailSender.runOnce()
  assert.ok(control.logged.some((line) => line.includes('SMTP_URL is not set') && line.includes(owner.id)))
})
