import t from 'tap'
import { Person } from '../person.ts'
import { startTestSystem } from '../start-test-system.ts'
import { writeCatalogWith } from '../write-catalog.ts'
import { aiSdk } from './ai-sdk.ts'
import { type ClientAccess, misbehaving } from './client-access.ts'
import { langChain } from './langchain.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiErrors } from './openai-errors.ts'
import { openaiOthers } from './openai-others.ts'

// All clients share one system, since their requests are independent.
const access = {} as ClientAccess
t.before(async () => {
  const system = await startTestSystem(t, { env: { CATALOG_FILE: writeCatalogWith(t.testdir(), misbehaving) } })
  const [payer, guest] = [await new Person(system, 'payer').join('pro'), await new Person(system, 'guest').join()]
  Object.assign(access, {
    system,
    baseURL: `${system.addresses.gateways[0]}/v1`,
    apiKey: (await payer.createKey('clients')).body.key.value,
    freeApiKey: (await guest.createKey('clients')).body.key.value
  } satisfies ClientAccess)
})

for (const [name, tests] of Object.entries({
  'openai: chat': openaiChat,
  'openai: other endpoints': openaiOthers,
  'openai: errors': openaiErrors,
  'ai with @ai-sdk/openai-compatible': aiSdk,
  '@langchain/openai': langChain
})) {
  t.test(name, async (t) => tests(t, access))
}
