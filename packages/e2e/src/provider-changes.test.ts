import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '@supabase/supabase-js'
import t from 'tap'
import { chatOutcome, openaiClient } from './openai-client.ts'
import { Person } from './person.ts'
import { startTestSystem } from './start-test-system.ts'
import { untilOutcome } from './until-outcome.ts'

/** The promise of docs/guarantees.md. */
const pauseMs = 400
const boundMs = 5000

t.test(
  'a ban and a plan set by hand at the identity provider are in force within 5 s, also for who is not here',
  async (t) => {
    const system = await startTestSystem(t)
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
      untilOutcome(
        async () => {
          // Refused requests count against the rate of the plan: 20 a minute.
          await delay(pauseMs)
          return chatOutcome(client, model)
        },
        expected,
        boundMs
      )
    await until(undefined, '200')
    await until('gpt-4o', '403 model_not_allowed')

    await change({ app_metadata: { plan: 'pro' } })
    t.match(await until('gpt-4o', '200'), { ms: Number })
    await change({ ban_duration: '24h' })
    t.match(await until(undefined, '403 account_suspended'), { ms: Number })
    await change({ ban_duration: 'none' })
    t.match(await until(undefined, '200'), { ms: Number })
  }
)
