import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { originTest } from '../callers/browser-callers.ts'

const domain = 'service.example'
const extra = 'http://localhost:5173'
const isAllowed = originTest({ serviceDomain: domain, extraOrigins: [extra] })

const labelCharacters = 'abcdefghijklmnopqrstuvwxyz0123456789'
const label = fc.string({ unit: fc.constantFrom(...labelCharacters), minLength: 1, maxLength: 20 })
const subdomain = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'))

test('subdomains of the service domain are allowed over https', async () => {
  assert(isAllowed('https://app.service.example'))
  assert(isAllowed('https://a.b-c.service.example'))
  fc.assert(fc.property(subdomain, (name) => isAllowed(`https://${name}.${domain}`)))
})

test('look-alikes of an allowed origin are refused', async () => {
  for (const origin of [
    'https://service.example',
    'https://evil-service.example',
    'https://evilservice.example',
    'https://app.service.example.evil.com',
    'https://app.serviceXexample',
    'https://app.service.example:8443',
    'https://app.service.example/',
    'https://app.service.example@evil.com',
    'https://user@app.service.example',
    'https://evil.com#.service.example',
    'https://evil.com/.service.example',
    'https://evil.com?.service.example',
    'https://evil.com\\.service.example',
    'https://.service.example',
    'https://-.service.example',
    'https://a..service.example',
    'https://app.service.example\n',
    'https://evil.com\nhttps://app.service.example',
    'https://app.service.example https://evil.com',
    'HTTPS://app.service.example',
    'http://app.service.example',
    'ws://app.service.example',
    'https://app.service.example.',
    'http://localhost:5174',
    'http://localhost:51730',
    'https://localhost:5173',
    'null',
    '*',
    ''
  ]) {
    assert.equal(isAllowed(origin), false, JSON.stringify(origin))
  }
})

test('an allowed origin with anything added is refused', async () => {
  fc.assert(
    fc.property(subdomain, fc.string({ minLength: 1, maxLength: 12 }), (name, added) => {
      assert.equal(isAllowed(`https://${name}.${domain}${added}`), false)
    })
  )
})

test('a URL is allowed only if its host lies in the service domain', async () => {
  const pieces = [
    'https://',
    'http://',
    'evil.com',
    'app',
    '.',
    '-',
    '@',
    '/',
    '#',
    '?',
    '\\',
    ':',
    '8443',
    domain,
    '\n',
    ' '
  ]
  const built = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.oneof(built, fc.webUrl(), fc.string()), (origin) => {
      if (!isAllowed(origin)) return
      const url = new URL(origin)
      assert.equal(url.origin, origin)
      assert.equal(url.protocol, 'https:')
      assert(url.hostname.endsWith(`.${domain}`))
    }),
    { numRuns: 500 }
  )
})

test('an extra origin is allowed exactly as configured', async () => {
  assert(isAllowed(extra))
  assert.equal(originTest({ serviceDomain: domain, extraOrigins: [] })(extra), false)
})

test('a dot in the service domain matches only a dot', async () => {
  const test = originTest({ serviceDomain: 'a.b', extraOrigins: [] })
  assert(test('https://x.a.b'))
  assert.equal(test('https://x.aab'), false)
})

test('a hostile origin is checked quickly', async () => {
  const started = performance.now()
  for (const text of ['a'.repeat(100_000), 'a.'.repeat(50_000), '-'.repeat(100_000), 'a-'.repeat(120)]) {
    isAllowed(`https://${text}.${domain}`)
    isAllowed(`https://${text}`)
  }
  // A backtracking expression would not end at all.
  assert(performance.now() - started < 5000)
})
