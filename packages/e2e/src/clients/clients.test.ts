import t from 'tap'
import { Person } from '../person.ts'
import { startTestSystem } from '../start-test-system.ts'
import { writeCatalogWith } from '../write-catalog.ts'
import { aiSdk } from './ai-sdk.ts'
import { aiSdkAnthropic, aiSdkOpenai } from './ai-sdk-native.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { type ClientAccess, clientModels, misbehaving } from './client-access.ts'
import { langChain } from './langchain.ts'
import { langChainAnthropic, langChainResponses } from './langchain-native.ts'
import { openaiAgents } from './openai-agents.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiErrors } from './openai-errors.ts'
import { openaiOthers } from './openai-others.ts'
import { openaiResponses } from './openai-responses.ts'
import { assertSameBill } from './same-bill.ts'

// All clients share one system, since their requests are independent.
const access = {} as ClientAccess
let payer: Person
t.before(async () => {
  // Anthropic's clients may write prompts into the cache.
  const catalog = writeCatalogWith(t.testdir(), { ...misbehaving, ...clientModels }, { cache_write: 0.1875 })
  const system = await startTestSystem(t, { env: { CATALOG_FILE: catalog } })
  payer = await new Person(system, 'payer').join('pro')
  const guest = await new Person(system, 'guest').join()
  Object.assign(access, {
    system,
    origin: system.addresses.gateways[0]!,
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
  '@langchain/openai': langChain,
  'openai: responses': openaiResponses,
  'ai with @ai-sdk/openai': aiSdkOpenai,
  '@openai/agents': openaiAgents,
  '@langchain/openai with responses': langChainResponses,
  '@anthropic-ai/sdk': anthropicMessages,
  'ai with @ai-sdk/anthropic': aiSdkAnthropic,
  '@langchain/anthropic': langChainAnthropic
})) {
  t.test(name, async (t) => tests(t, access))
}

t.test('the ledger has what the model server billed for each client', () => assertSameBill(access.system, payer))
