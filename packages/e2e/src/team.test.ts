import t from 'tap'
import { chatOutcome, openaiClient } from './openai-client.ts'
import { Person } from './person.ts'
import { startTestSystem } from './start-test-system.ts'

t.test('keys of somebody who joins a team are refused from the next request on, and come back', async (t) => {
  const system = await startTestSystem(t, { gateways: 2 })
  const owner = await new Person(system, 'owner').join('team')
  const ada = await new Person(system, 'ada').join()
  const clientsOf = (secret: string) => system.addresses.gateways.map((gateway) => openaiClient(gateway, secret))
  const outcomes = async (clients: ReturnType<typeof clientsOf>, model?: string) => [
    ...new Set(await Promise.all(clients.map((client) => chatOutcome(client, model))))
  ]
  const own = clientsOf((await ada.createKey('own')).body.key.value)
  t.same(await outcomes(own), ['200'])

  type Invited = { invitation: { link: string } }
  const { body, status } = await owner.call<Invited>('POST', '/api/team/seats', { email: ada.email })
  t.equal(status, 201)
  const { pathname } = new URL(body.invitation.link)
  t.match(await ada.call('GET', pathname), { status: 200, body: /<div id="root">/ })
  t.match(await ada.call('POST', `/api/team${pathname}/accept`), { status: 200, body: { ok: true } })
  t.same(await outcomes(own), ['403 account_suspended'])
  t.match(await ada.me(), { body: { user: { plan: 'team' } } })

  const shared = clientsOf((await ada.createKey('for the team')).body.key.value)
  t.same(await outcomes(shared, 'gpt-4o'), ['200'], 'on the plan of the team')

  const { id } = (await ada.me()).body.user
  t.match(await owner.call('DELETE', `/api/team/seats/${id}`), { status: 200, body: { ok: true } })
  t.same(await outcomes(own), ['200'])
  t.same(await outcomes(own, 'gpt-4o'), ['403 model_not_allowed'], 'on their own plan again')
  t.same(await outcomes(shared, 'gpt-4o'), ['200'], 'the key stays with the team')
  t.match(await ada.me(), { body: { user: { plan: 'free' } } })
})
