import { restoreListeners } from './process-listeners.ts'

// The import above has to be the first.

import t from 'tap'
import { Person } from '../person.ts'
import { sharedSystem } from '../start-test-system.ts'
import { addModels, changeCatalog } from '../write-catalog.ts'
import { type ClientAccess, modelsOf, namesOf } from './client-access.ts'
import { clients } from './clients.ts'
import { assertSameBill } from './same-bill.ts'

// All clients share one system, since their requests are independent.
const access = {} as Omit<ClientAccess, keyof ReturnType<typeof namesOf>>
let payer: Person
t.teardown(restoreListeners)
t.before(async () => {
  const models = Object.assign({}, ...clients.map(({ id }) => modelsOf(id))) as Record<string, string>
  const system = await sharedSystem()
  const operator = await new Person(system, 'operator').joinAsOperator()
  await changeCatalog(t, operator, (catalog) => {
    // Anthropic's clients may write prompts into the cache.
    addModels(catalog, models, { cache_write: 0.1875 })
  })
  payer = await new Person(system, 'payer').join('enterprise')
  const guest = await new Person(system, 'guest').join()
  Object.assign(access, {
    system,
    origin: system.addresses.gateways[0]!,
    baseURL: `${system.addresses.gateways[0]}/v1`,
    apiKey: (await payer.createKey('clients')).body.key.value,
    freeApiKey: (await guest.createKey('clients')).body.key.value
  } satisfies typeof access)
})

t.test('clients', async (t) => {
  // They mostly wait for streams.
  t.jobs = 4
  for (const { endpoint, packages, version, id, run } of clients) {
    t.test(`${packages.join(' and ')} (${version}): ${endpoint}`, { buffered: true }, async (t) =>
      run({ test: (_features, name, test) => t.test(name, test) }, { ...access, ...namesOf(id) })
    )
  }
})

t.test('the ledger has what the model server billed for each client', () => {
  const billedClients = clients.filter(({ endpoint }) => endpoint === 'responses' || endpoint === 'messages')
  return assertSameBill(
    access.system,
    payer,
    billedClients.map(({ id }) => namesOf(id).model)
  )
})
