import assert from 'node:assert/strict'
import { docsPages } from '@tollgate/contracts/docs/docs-pages.ts'
import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import { test } from 'tap'
import { startControl } from '../testing/start-control.ts'
import { writeLlmsTxt } from './docs-routes.ts'

test('llms.txt names the brand and the addresses of the installation, and no other', async () => {
  const urls = { publicUrl: 'https://app.acme.example', gatewayUrl: 'https://llm.acme.example' }
  const text = writeLlmsTxt({ name: 'Acme AI', ...urls }, 'mailto:help@acme.example')
  assert.doesNotMatch(text, /tollgate/i)
  assert.match(text, /^- Support: mailto:help@acme\.example$/m)
  const hosts = new Set([...text.matchAll(/https?:\/\/[a-z.-]+/g)].map(([address]) => address))
  assert.deepEqual([...hosts].sort(), Object.values(urls).sort())
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
