import assert from 'node:assert/strict'
import t from 'tap'
import { Person } from './person.ts'
import { chatOutcome, openaiClient, sharedSystem, type TestSystem } from './start-test-system.ts'

let system: TestSystem
t.before(async () => {
  system = await sharedSystem()
})

t.test('joining a team suspends a member’s own keys from the next request on; leaving restores them', async () => {
  const owner = await new Person(system, 'owner').join('team')
  const ada = await new Person(system, 'ada').join()
  const clientsOf = (secret: string) => system.addresses.gateways.map((gateway) => openaiClient(gateway, secret))
  const outcomes = async (clients: ReturnType<typeof clientsOf>, model?: string) => [
    ...new Set(await Promise.all(clients.map((client) => chatOutcome(client, model))))
  ]
  const own = clientsOf((await ada.createKey('own')).body.key.value)
  assert.deepEqual(await outcomes(own), ['200'])

  interface Invited {
    invitation: { link: string }
  }
  const { body, status } = await owner.call<Invited>('POST', '/api/team/seats', { email: ada.email })
  assert.equal(status, 201)
  const { pathname } = new URL(body.invitation.link)
  const invitationPage = await ada.call<string>('GET', pathname)
  assert.equal(invitationPage.status, 200)
  assert.match(invitationPage.body, /<div id="root">/)
  assert.partialDeepStrictEqual(await ada.call('POST', `/api/team${pathname}/accept`), {
    status: 200,
    body: { ok: true }
  })
  assert.deepEqual(await outcomes(own), ['403 account_suspended'])
  await assert.rejects(own[0]!.models.list(), { status: 403, message: /paused while its owner is in a team/ })
  assert.partialDeepStrictEqual(await ada.me(), { body: { user: { plan: 'team' } } })

  const shared = clientsOf((await ada.createKey('for the team')).body.key.value)
  assert.deepEqual(await outcomes(shared, 'gpt-4o'), ['200'], 'uses the plan of the team')

  const { id } = (await ada.me()).body.user
  assert.partialDeepStrictEqual(await owner.call('DELETE', `/api/team/seats/${id}`), {
    status: 200,
    body: { ok: true }
  })
  assert.deepEqual(await outcomes(own), ['200'])
  assert.deepEqual(await outcomes(own, 'gpt-4o'), ['403 model_not_allowed'], 'use their own plan again')
  assert.deepEqual(await outcomes(shared, 'gpt-4o'), ['200'], 'the key stays with the team')
  assert.partialDeepStrictEqual(await ada.me(), { body: { user: { plan: 'free' } } })
})
