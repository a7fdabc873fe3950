import assert from 'node:assert/strict'
import { errorTable } from '@tollgate/contracts/errors/table.ts'
import { accountEvents } from '@tollgate/contracts/events/event-types.ts'
import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import { test } from 'tap'
import { startControl } from '../testing/start-control.ts'
import type { DocsFacts } from './docs-facts.ts'
import { docsPages, renderPage, writeLlmsTxt } from './docs-pages.ts'
import { splitMessage } from './pages/errors.ts'

const facts: DocsFacts = {
  name: 'Acme AI',
  publicUrl: 'https://app.acme.example',
  gatewayUrl: 'https://llm.acme.example',
  supportUrl: 'mailto:help@acme.example'
}
const pages = Object.entries(docsPages).map(([name, page]) => [name, renderPage(page, facts)] as const)
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
  for (const [name, text] of [...pages, ['llms.txt', writeLlmsTxt(facts)] as const]) {
    assert.doesNotMatch(text.replaceAll('x-tollgate-', ''), /tollgate/i, name)
    for (const [address] of text.matchAll(/https?:\/\/[a-z.-]+/g)) assert.ok(hosts.has(new URL(address).host), address)
  }
  assert.match(pageOf('clients'), /ANTHROPIC_BASE_URL=https:\/\/llm\.acme\.example\n/)
})

test('llms.txt has a title, a summary, and links to pages that exist', async (t) => {
  const control = await startControl()
  t.after(() => control.close())
  const listed = await control.app.inject({ url: '/llms.txt' })
  assert.equal(listed.statusCode, 200)
  assert.match(listed.body, /^# \S.*\n\n> \S/)
  const links = [...listed.body.matchAll(/\]\((\S+?)\)/g)].map(([, target]) => new URL(target!).pathname)
  assert.equal(links.length, Object.keys(docsPages).length + 2)
  for (const url of links) {
    const { statusCode, headers } = await control.app.inject({ url })
    assert.equal(statusCode, 200, url)
    assert.match(String(headers['content-type']), url.endsWith('.md') ? /^text\/markdown/ : /^application\/json/, url)
  }
  const gateway = (await control.app.inject({ url: '/api/docs/gateway.json' })).json() as OpenApiDocument
  assert.ok('/v1/chat/completions' in gateway.paths)
  assert.equal((await control.app.inject({ url: '/api/docs/secret.md' })).statusCode, 404)
})
