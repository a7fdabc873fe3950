import { createClient } from '@supabase/supabase-js'
import t from 'tap'
import { Person } from './person.ts'
import { chatOutcome, openaiClient, sharedSystem } from './start-test-system.ts'
import { untilOutcome } from './until-outcome.ts'

/** Refused requests count towards the plan's rate limit of 20 per minute. */
const pauseMs = 400
/** Promised in docs/guarantees.md. */
const boundMs = 5000

t.test('a ban or plan from the identity provider applies within 5 s, even to a user who is signed out', async () => {
  const system = await sharedSystem()
  const ada = await new Person(system, 'ada').join()
  const client = openaiClient(system.addresses.gateway, (await ada.createKey('k')).body.key.value)
  const { id } = (await ada.me()).body.user
  await ada.call('POST', '/api/auth/signout')
  const { auth } = createClient(system.addresses.identity, system.secrets.serviceRoleKey, {
    auth: { persistSession: false, autoRefreshToken: false }
  })
  const change = async (attributes: Parameters<typeof auth.admin.updateUserById>[1]) => {
    const { error } = await auth.admin.updateUserById(id, attributes)
    if (error !== null) throw error
  }
  const until = (model: string | undefined, expected: string) =>
    untilOutcome(() => chatOutcome(client, model), expected, { timeoutMs: boundMs, pauseMs })
  await until(undefined, '200')
  await until('gpt-4o', '403 model_not_allowed')

  await change({ app_metadata: { plan: 'pro' } })
  await until('gpt-4o', '200')
  await change({ ban_duration: '24h' })
  await until(undefined, '403 account_suspended')
  await change({ ban_duration: 'none' })
  await until(undefined, '200')
})
