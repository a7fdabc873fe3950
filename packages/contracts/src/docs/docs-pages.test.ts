import assert from 'node:assert/strict'
import { test } from 'tap'
import { errorTable } from '../errors/table.ts'
import { accountEvents } from '../events/event-types.ts'
import { type DocsFacts, providerIdOf } from './docs-facts.ts'
import { docsPages, renderPage } from './docs-pages.ts'
import { splitMessage } from './pages/errors.ts'

const facts: DocsFacts = {
  name: 'Acme AI',
  id: 'acme-ai',
  publicUrl: 'https://app.acme.example',
  gatewayUrl: 'https://llm.acme.example',
  modelsUrl: 'https://app.acme.example/models',
  providersUrl: 'https://app.acme.example/providers',
  requestLogDays: 30
}
const pageOf = (name: string): string => renderPage(docsPages[name]!, facts)

test('every error code has an entry that says what happened and what to do', async () => {
  const text = pageOf('errors')
  for (const [code, [status, , message]] of Object.entries(errorTable)) {
    const { happened, remedy } = splitMessage(message)
    assert.ok(happened.length > 10 && remedy.length > 10, `${code}: ${message}`)
    assert.ok(text.includes(`\n## ${code}\n\nStatus ${status}, `), code)
  }
  assert.equal(text.match(/^\*\*What to do:\*\* \S/gm)?.length, Object.keys(errorTable).length)
})

test('every event of an account has an entry', async () => {
  const text = pageOf('webhooks')
  for (const type of Object.keys(accountEvents)) assert.ok(text.includes(`\n## ${type}\n`), type)
})

test('the pages have the brand and the addresses of the installation, and no other host', async () => {
  const hosts = new Set(['app.acme.example', 'llm.acme.example', 'www.standardwebhooks.com', 'example.com'])
  for (const name of Object.keys(docsPages)) {
    assert.doesNotMatch(pageOf(name).replaceAll('x-tollgate-', ''), /tollgate/i, name)
    for (const [address] of pageOf(name).matchAll(/https?:\/\/[a-z.-]+/g)) {
      assert.ok(hosts.has(new URL(address).host), address)
    }
  }
  assert.match(pageOf('clients'), /ANTHROPIC_BASE_URL=https:\/\/llm\.acme\.example\n/)
})

test('a brand becomes a name that settings of clients take', async () => {
  assert.deepEqual(['Acme & Söhne <AI>', 'Tollgate', '企業'].map(providerIdOf), [
    'acme-s-hne-ai',
    'tollgate',
    'gateway'
  ])
})
