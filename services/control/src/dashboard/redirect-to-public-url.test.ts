import assert from 'node:assert/strict'
import Fastify from 'fastify'
import { type Test, test } from 'tap'
import { redirectToPublicUrl } from './serve-dashboard.ts'

function serve(t: Test, publicUrl: string) {
  const app = Fastify()
  t.after(() => app.close())
  app.register(async (pages) => {
    redirectToPublicUrl(pages, publicUrl)
    pages.get('/*', () => 'page')
  })
  return async (host: string, url: string) => {
    const { statusCode, headers } = await app.inject({ url, headers: { host } })
    return statusCode === 307 ? headers.location : statusCode
  }
}

test('a page opened by another name of this machine redirects to the public URL', async (t) => {
  const open = serve(t, 'http://localhost:3000')
  for (const host of ['127.0.0.1:3000', '[::1]:3000']) {
    assert.equal(await open(host, '/login?next=%2Fdashboard'), 'http://localhost:3000/login?next=%2Fdashboard')
  }
  assert.equal(await serve(t, 'http://127.0.0.1:3000')('localhost:3000', '/'), 'http://127.0.0.1:3000/')
  assert.equal(await serve(t, 'http://localhost')('127.0.0.1', '/'), 'http://localhost/')
})

test('no other page redirects', async (t) => {
  const open = serve(t, 'http://localhost:3000')
  for (const host of ['localhost:3000', '127.0.0.1:3001', '127.0.0.1', 'evil.example', 'tollgate.internal:3000']) {
    assert.equal(await open(host, '/'), 200, host)
  }
  const public_ = serve(t, 'https://app.example.com')
  for (const host of ['127.0.0.1:3000', 'localhost', 'app.example.com'])
    assert.equal(await public_(host, '/'), 200, host)
})
