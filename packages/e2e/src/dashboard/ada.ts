import type { CreatedKey } from '@tollgate/contracts/http/keys.ts'
import { chatOutcome, openaiClient } from '../openai-client.ts'
import { Person } from '../person.ts'
import { system } from './world.ts'

/** A name and a label that a page must show as text. */
export const hostile = '<img src=x onerror="alert(1)">"\'`=cmd|x!A1'

/** Where a webhook of ada goes. Nothing listens there. */
export const deadReceiver = 'http://127.0.0.1:1024/webhooks'

/** Makes the owner of a team, with a key, an invitation, a webhook and usage. */
export async function joinAda(): Promise<Person> {
  const ada = await new Person(system, 'ada').join('team')
  await ada.call('PATCH', '/api/auth/me', { name: hostile })
  const { body } = await ada.call<{ key: CreatedKey }>('POST', '/api/keys', {
    label: hostile,
    metadata: { a: hostile }
  })
  await ada.call('POST', '/api/webhooks', { url: deadReceiver, description: hostile })
  await ada.call('POST', '/api/team/seats', { email: 'grace@example.com' })
  await chatOutcome(openaiClient(system.addresses.gateways[0]!, body.key.value))
  return ada
}
