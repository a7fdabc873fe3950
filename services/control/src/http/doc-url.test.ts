import assert from 'node:assert/strict'
import { test } from 'tap'
import { startControl } from '../testing/start-control.ts'

test('with DOCS_URL, each error links to the docs of its code', async (t) => {
  const control = await startControl({ docsUrl: 'https://docs.example.com' })
  t.after(() => control.close())
  for (const [path, code] of [
    ['/api/keys', 'not_authenticated'],
    ['/api/nothing', 'not_found']
  ] as const) {
    const { body } = await control.app.inject({ url: path })
    assert.equal(JSON.parse(body).error.code, code)
    assert.equal(JSON.parse(body).error.doc_url, `https://docs.example.com/errors/${code}`)
  }
})
